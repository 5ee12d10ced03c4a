#include "base/outputs.h"

#include <unistd.h>

#include <algorithm>

#include "base/errors.h"

namespace haichi {

void Outputs::add_input(const std::string& path) {
    if (!path.empty()) inputs_.push_back(path);
}

OutputFile& Outputs::add_file(std::string path) {
    return *files_.emplace_back(std::make_unique<OutputFile>(std::move(path)));
}

OutputStream& Outputs::add_stream(std::string path) {
    if (path == "-") throw OptionError("an output that is written during the run requires a file, found '-'");
    return *streams_.emplace_back(std::make_unique<OutputStream>(std::move(path)));
}

std::vector<Outputs::Named> Outputs::inputs() const {
    std::vector<Named> found;
    for (const std::string& path : inputs_) {
        const auto identity = path == "-" ? identity_of(STDIN_FILENO) : identity_of(path);
        if (identity && identity->new_name.empty()) {
            found.push_back({path == "-" ? "standard input" : path, *identity});
        }
    }
    return found;
}

void Outputs::check() const {
    const std::vector<Named> read = inputs();
    std::vector<Named> written;
    const auto add = [&](const std::string& name, const std::optional<FileIdentity>& identity) {
        if (!identity) return;
        const std::string hint = "give the output another name";
        if (const auto same = std::ranges::find(read, *identity, &Named::identity); same != read.end()) {
            throw OptionError("cannot write " + name + ": it is " +
                                  (same->path == name ? "also an input" : "also the input " + same->path),
                              hint);
        }
        if (const auto same = std::ranges::find(written, *identity, &Named::identity); same != written.end()) {
            throw OptionError(
                "cannot write " + name + ": " +
                    (same->path == name ? "two outputs have this name" : "it is the same file as " + same->path),
                hint);
        }
        written.push_back({name, *identity});
    };
    const auto add_path = [&](const std::string& path, Overwriting how) {
        check_writable(path, how);
        if (is_replaceable(path)) add(path, identity_of(path));
    };
    if (has_standard_output_) add("standard output", identity_of(STDOUT_FILENO));
    for (const auto& file : files_) add_path(file->path(), Overwriting::kReplacing);
    for (const auto& stream : streams_) add_path(stream->path(), Overwriting::kInPlace);
}

void Outputs::open() {
    check();
    for (const auto& file : files_) {
        // Opening a pipe may wait for its reader, so the lock is not held then.
        std::unique_lock<std::mutex> lock(making_, std::defer_lock);
        if (is_replaceable(file->path())) lock.lock();
        file->open();
    }
    for (const auto& stream : streams_) stream->open();
}

void Outputs::commit() {
    for (const auto& stream : streams_) stream->close();
    for (const auto& file : files_) file->finish();
    const std::unique_lock<std::mutex> lock(making_);
    for (const auto& file : files_) file->put_in_place();
}

std::unique_lock<std::mutex> Outputs::discard() noexcept {
    std::unique_lock<std::mutex> lock(making_);
    for (const auto& file : files_) file->discard();
    for (const auto& stream : streams_) stream->discard();
    return lock;
}

}  // namespace haichi
