#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "mgen/replay/observation.h"

namespace haichi {

/// The files of what a simulation writes while it runs. They can be looked at meanwhile and stay when the run fails,
/// unlike results, which are whole or not there.
class ObservationFiles {
  public:
    /// An empty path: not asked for. Throws InputError for files that cannot be written, OptionError
    /// for one file for both and for "-".
    ObservationFiles(std::string statistics_path, std::string history_path);

    /// Adds the streams to what is observed; this object must outlive the run.
    void observe(ObservationOptions& options);
    /// Throws InputError when not everything could be written.
    void close();

  private:
    struct Log {
        std::string path;
        std::optional<std::ofstream> file;
    };

    static Log open(std::string path);

    Log statistics_;
    Log history_;
};

}  // namespace haichi
