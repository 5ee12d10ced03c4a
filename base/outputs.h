#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/output_path.h"
#include "base/output_stream.h"

namespace haichi {

/// All that a run writes, in this order: what it reads and writes is declared; check() refuses what cannot be, before
/// the inputs are read; open(), once they are; the run; commit(). Without that, nothing of the files is left, and the
/// old ones are as they were.
class Outputs {
  public:
    Outputs() = default;
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    /// What the run reads: a file, or "-" for standard input. Words that name no file (a preset, "") are ignored.
    void add_input(const std::string& path);
    /// Whole or not there.
    OutputFile& add_file(std::string path);
    /// Written while the run goes on. Throws OptionError for "-".
    OutputStream& add_stream(std::string path);
    /// Data will be written to standard output as well.
    void add_standard_output() { has_standard_output_ = true; }

    /// Throws OptionError for outputs that are inputs or each other, whatever they are called, and for those that
    /// cannot be written. Touches nothing.
    void check() const;
    /// Checks again, since time has passed, and opens all. Throws OptionError.
    void open();
    /// Writes all to the disk, then gives all files their names. Throws InputError (full disk).
    void commit();

    /// Removes what open() made. While the lock is held nothing is made or named: for a thread that ends the process
    /// in the midst of the run.
    [[nodiscard]] std::unique_lock<std::mutex> discard() noexcept;

  private:
    /// A path as it was given, and what it means.
    struct Named {
        std::string path;
        FileIdentity identity;
    };
    [[nodiscard]] std::vector<Named> inputs() const;

    std::vector<std::string> inputs_;
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::vector<std::unique_ptr<OutputStream>> streams_;
    bool has_standard_output_ = false;
    std::mutex making_;  ///< held while files are made, named and removed
};

}  // namespace haichi
