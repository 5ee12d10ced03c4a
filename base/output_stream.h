#pragma once

#include <atomic>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace haichi {

/// An output that can be read while it is written, and that remains if the run fails or is interrupted. It always ends
/// with a complete line. The previous content of the file remains until the first line is written. Unlike an
/// OutputFile, it is written in place, also through a symbolic link. Only one run at a time can write it.
class OutputStream : public std::ostream {
  public:
    /// Does not access the file system.
    explicit OutputStream(std::string path);
    ~OutputStream() override;
    OutputStream(const OutputStream&) = delete;
    OutputStream& operator=(const OutputStream&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    friend class Outputs;

    class Lines : public std::streambuf {
      public:
        ~Lines() override;
        Lines() = default;
        Lines(const Lines&) = delete;
        Lines& operator=(const Lines&) = delete;

        void take(int descriptor) { descriptor_ = descriptor; }
        [[nodiscard]] bool has_begun() const { return has_begun_; }
        /// Empties the file before its first line. Returns false if this fails.
        bool begin();
        /// Returns false if some data could not be written. errno has the reason.
        bool close();

      protected:
        int_type overflow(int_type c) override;
        std::streamsize xsputn(const char* text, std::streamsize length) override;
        int sync() override;

      private:
        bool write(std::size_t length);
        /// Returns how many of the `count` written characters belong to complete lines, and cuts the file after them.
        std::size_t whole_lines(std::size_t count);

        std::string kept_;
        std::atomic<bool> has_begun_{false};
        int descriptor_ = -1;
    };

    /// Throws OptionError.
    void open();
    /// Throws InputError if some data could not be written.
    void close();
    /// Removes the file if open() created it and it is still empty.
    void discard() noexcept;

    std::string path_;
    bool is_new_ = false;
    Lines lines_;
};

}  // namespace haichi
