#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/output_path.h"
#include "base/output_stream.h"

namespace haichi {

/// All outputs of a run. First declare all inputs and outputs. Call check() before the inputs are read, open() after
/// that, and commit() after the run. Without commit(), nothing remains of the files of add_file(), and existing files
/// are unchanged.
class Outputs {
  public:
    Outputs() = default;
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    /// Declares an input of the run: a file, or "-" for standard input. Words that do not name a file (a preset, "")
    /// are ignored.
    void add_input(const std::string& path);
    /// Adds an output that is either complete or absent.
    OutputFile& add_file(std::string path);
    /// Adds an output that is written during the run. Throws OptionError for "-".
    OutputStream& add_stream(std::string path);
    /// Declares that the run also writes data to standard output.
    void add_standard_output() { has_standard_output_ = true; }

    /// Throws OptionError for outputs that cannot be written, and for outputs that are the same file as an input or
    /// another output. Files are compared by identity, not by path. Changes nothing.
    void check() const;
    /// Repeats the checks, since files may have changed, and opens all outputs. Throws OptionError.
    void open();
    /// Writes all data to the disk, and then gives all files their names. Throws InputError (full disk).
    void commit();

    /// Removes everything that open() created. While the caller holds the returned lock, no file is created or named.
    /// This is for a thread that ends the process during the run.
    [[nodiscard]] std::unique_lock<std::mutex> discard() noexcept;

  private:
    /// An output: its path as given, and the identity of its file.
    struct Named {
        std::string path;
        FileIdentity identity;
    };
    [[nodiscard]] std::vector<Named> inputs() const;

    std::vector<std::string> inputs_;
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::vector<std::unique_ptr<OutputStream>> streams_;
    bool has_standard_output_ = false;
    std::mutex making_;  ///< held while files are created, named and removed
};

}  // namespace haichi
