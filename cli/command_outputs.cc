#include "cli/command_outputs.h"

#include "cli/interrupt.h"
#include "cli/output/log_words.h"

namespace haichi::cli {

void Destination::write(std::string_view text) {
    if (file_ != nullptr) {
        file_->write(text);
    } else {
        console_->data(text);
    }
}

CommandOutputs::CommandOutputs(Console& console) : console_(&console) { SignalWatch::set_outputs(this); }

CommandOutputs::~CommandOutputs() { SignalWatch::set_outputs(nullptr); }

void CommandOutputs::add_inputs(std::initializer_list<std::string> paths) {
    for (const std::string& path : paths) add_input(path);
}

Destination CommandOutputs::add_destination(const std::string& path) {
    const bool is_file = !path.empty() && path != "-";
    if (is_file) return {*console_, &add_file(path)};
    add_standard_output();
    return {*console_, nullptr};
}

Reading CommandOutputs::reading() {
    return {console_->log(), [this](const std::string& path) { add_input(path); }, console_->files_below(),
            [this](const std::string& note) { console_->say("note: " + without_controls(note) + "\n"); }};
}

}  // namespace haichi::cli
