#include "cli/commands/checkpoint_file.h"

#include <filesystem>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/outputs.h"
#include "cli/output/tables.h"

namespace haichi::cli {

CheckpointFile::CheckpointFile(std::string path, Console& console)
    : path_(std::move(path)), console_(&console), checkpoint_([this](const std::string& text) { write(text); }) {}

void CheckpointFile::check(const std::string& output) const {
    if (path_.empty()) return;
    if (path_ == "-") throw OptionError("--checkpoint requires a file, found '-'");
    Outputs written;
    if (!output.empty() && output != "-") written.add_file(output);
    written.add_file(path_);
    written.check();
}

void CheckpointFile::read() {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    if (path_.empty() || !std::filesystem::exists(path_)) return;
    checkpoint_.read(read_file(path_, kMostBytes), path_);
    console_->say("continuing from " + path_ + " after " + short_number(checkpoint_.seconds_before()) + " s\n");
}

void CheckpointFile::remove() const {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

/// Writes a checkpoint. Errors only cause a warning, because a search must not end when a disk is full.
void CheckpointFile::write(const std::string& text) {
    try {
        Outputs outputs;
        OutputFile& file = outputs.add_file(path_);
        outputs.open();
        file.write(text);
        outputs.commit();
        has_failed_ = false;
    } catch (const Error& error) {
        if (!has_failed_) console_->say(std::string("warning: the checkpoint was not written: ") + error.what() + "\n");
        has_failed_ = true;
    }
}

}  // namespace haichi::cli
