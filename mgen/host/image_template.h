#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/image_plan.h"

namespace haichi::host {

/// What each rank's copy of the program and its libraries begins with: a file in memory that is mapped for each rank,
/// and the words in it to which the address of the copy is added. In it addresses within the copy count from its
/// beginning; those of other code and variables are as the loader has found them.
class ImageTemplate {
  public:
    /// A part of the copy that is mapped in one.
    struct Part {
        std::size_t offset, bytes;
        bool is_writable;
        bool is_zero;  ///< not in the file
    };
    struct Module {
        std::size_t number;  ///< in ProgramImage::modules()
        std::uintptr_t begin, end;
        std::size_t offset;
    };

    /// Throws InputError where a file cannot be read any more, or none can be made.
    ImageTemplate(const ProgramImage& image, const ImagePlan& plan);
    ~ImageTemplate();
    ImageTemplate(const ImageTemplate&) = delete;
    ImageTemplate& operator=(const ImageTemplate&) = delete;

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t alignment() const { return alignment_; }
    /// Of the variables, pages of which a rank takes when it writes to them.
    [[nodiscard]] std::size_t writable_bytes() const;
    [[nodiscard]] int file() const { return file_; }
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] const std::vector<Module>& modules() const { return modules_; }
    /// Adds its address to the words of a copy, whose parts are mapped there.
    void relocate(std::byte* copy) const;

    /// Where in a copy something of the process lies; bytes(): nowhere.
    [[nodiscard]] std::size_t offset_of(std::uintptr_t address) const;
    /// What of the process it is that lies there in a copy; 0: nothing.
    [[nodiscard]] std::uintptr_t original(std::size_t offset) const;

  private:
    void place_modules(const ProgramImage& image, const ImagePlan& plan);
    void add(const ProgramImage& image, const Module& module, const std::vector<ImagePlan::MovedObject>& moved,
             std::byte* file);
    void add_part(const Part& part);

    std::vector<Module> modules_;
    std::vector<Part> parts_;
    std::vector<std::size_t> words_;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = 0;
    int file_ = -1;
};

}  // namespace haichi::host
