#pragma once

#include <atomic>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace haichi {

/// An output that can be read while it is written, and remains if the run fails or is interrupted. It contains whole
/// lines only. The previous content remains until the first line is written. Unlike an OutputFile, it is written in
/// place, also through a symbolic link, and by one run at a time.
class OutputStream : public std::ostream {
  public:
    /// Does not touch the file system.
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
        /// Empties the file before its first line. False if it fails.
        bool begin();
        /// False if some data could not be written; errno has the reason.
        bool close();

      protected:
        int_type overflow(int_type c) override;
        std::streamsize xsputn(const char* text, std::streamsize length) override;
        int sync() override;

      private:
        bool write(std::size_t length);
        /// Returns how many of `count` written characters are in whole lines, and cuts the file after them.
        std::size_t whole_lines(std::size_t count);

        std::string kept_;
        std::atomic<bool> has_begun_{false};
        int descriptor_ = -1;
    };

    /// Throws OptionError.
    void open();
    /// Throws InputError if some data could not be written.
    void close();
    /// Removes a file that open() created, if it is still empty.
    void discard() noexcept;

    std::string path_;
    bool is_new_ = false;
    Lines lines_;
};

}  // namespace haichi
