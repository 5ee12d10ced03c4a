#pragma once

#include <atomic>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace haichi {

/// An output that can be looked at while it is written, and stays when the run fails or is ended: it holds whole lines,
/// as many as were written. What was there stays until the first. Unlike an OutputFile it is written at its own place,
/// also through a symbolic link, and by one run at a time.
class OutputStream : public std::ostream {
  public:
    /// Touches nothing.
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
        /// Empties the file before its first line. False when that cannot be.
        bool begin();
        /// False when something could not be written; errno says why.
        bool close();

      protected:
        int_type overflow(int_type c) override;
        std::streamsize xsputn(const char* text, std::streamsize length) override;
        int sync() override;

      private:
        bool write(std::size_t length);
        /// Of `count` characters that were written, as many as whole lines have; the file is cut behind them.
        std::size_t whole_lines(std::size_t count);

        std::string kept_;
        std::atomic<bool> has_begun_{false};
        int descriptor_ = -1;
    };

    /// Throws OptionError.
    void open();
    /// Throws InputError when not everything could be written.
    void close();
    /// Removes a file that open() has made and that nothing was written to.
    void discard() noexcept;

    std::string path_;
    bool is_new_ = false;
    Lines lines_;
};

}  // namespace haichi
