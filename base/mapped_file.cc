#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"
#include "base/regular_file.h"

namespace haichi {

MappedFile::MappedFile(const std::string& path) {
    check_regular_file(path);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    struct stat status {};
    if (::fstat(file, &status) == 0) size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    const int problem = errno;
    ::close(file);
    if (size_ > 0 && data_ == MAP_FAILED) throw InputError("cannot read " + path + ": " + std::strerror(problem));
}

MappedFile::~MappedFile() {
    if (size_ > 0) ::munmap(data_, size_);
}

}  // namespace haichi
