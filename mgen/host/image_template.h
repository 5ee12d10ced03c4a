#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/image_plan.h"

namespace haichi::host {

/// The initial contents of each rank's copy of the program and its libraries. An in-memory file holds them and is
/// mapped for each rank. In the file, addresses within the copy are relative to its beginning. Addresses of other code
/// and variables are as the loader resolved them.
class ImageTemplate {
  public:
    /// A part of the copy with a single mapping.
    struct Part {
        std::size_t offset, bytes;
        bool is_writable;
        bool is_zero;  ///< zero-initialised, not in the file
    };
    struct Module {
        std::size_t number;  ///< index in ProgramImage::modules()
        std::uintptr_t begin, end;
        std::size_t offset;
    };

    /// Throws InputError if the file of a module can no longer be read, or if no file can be created.
    ImageTemplate(const ProgramImage& image, const ImagePlan& plan);
    ~ImageTemplate();
    ImageTemplate(const ImageTemplate&) = delete;
    ImageTemplate& operator=(const ImageTemplate&) = delete;

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t alignment() const { return alignment_; }
    /// Size of the variables in a copy. A rank uses memory for their pages only when it writes to them.
    [[nodiscard]] std::size_t writable_bytes() const;
    [[nodiscard]] int file() const { return file_; }
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] const std::vector<Module>& modules() const { return modules_; }
    /// Adds the address of a copy to the words of the copy that hold addresses within it. The parts must already be
    /// mapped at that address.
    void relocate(std::byte* copy) const;

    /// Offset in a copy of an address of this process; bytes() if the address has no counterpart in the copy.
    [[nodiscard]] std::size_t offset_of(std::uintptr_t address) const;
    /// The inverse of offset_of(), or 0 if the offset is in no module.
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
