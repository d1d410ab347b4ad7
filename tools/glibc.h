/* Binds functions of the C library that have newer versions to their first one, on x86-64 Linux with glibc.
 *
 * The newer versions differ in that they don't set errno the old way, and in the sign of the NaN that log(-1) gives. With
 * them a wheel would need the glibc of the machine that built it (hypot: 2.35); tests/test_symbol_versions.py holds 2.28.
 * setup.py includes this file in every C file.
 */
__asm__(".symver exp,exp@GLIBC_2.2.5");
__asm__(".symver fmod,fmod@GLIBC_2.2.5");
__asm__(".symver hypot,hypot@GLIBC_2.2.5");
__asm__(".symver log,log@GLIBC_2.2.5");
__asm__(".symver pow,pow@GLIBC_2.2.5");
