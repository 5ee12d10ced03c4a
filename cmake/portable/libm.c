/* glibc 2.29 has new versions of these functions, without the old error handling by matherr(). The older versions
   compute equal values. scripts/portable_sysroot.sh compiles this file into the sysroot, so that each -lm finds it
   first. */
#ifdef __x86_64__
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

#define OLD_VERSION(name)                               \
    extern double old_##name(double);                   \
    __asm__(".symver old_" #name "," #name "@" OLDEST); \
    __attribute__((visibility("hidden"))) double name(double x) { return old_##name(x); }

OLD_VERSION(exp)
OLD_VERSION(exp2)
OLD_VERSION(log)
OLD_VERSION(log2)

extern double old_pow(double, double);
__asm__(".symver old_pow,pow@" OLDEST);
__attribute__((visibility("hidden"))) double pow(double x, double y) { return old_pow(x, y); }
