# A C compiler with its library's headers, which Rust links with and aws-lc is built with. Sourced, POSIX sh.

compiler_works() {
    has cc && printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
        cc -x c -o /dev/null - 2>/dev/null
}

need_compiler() {
    compiler_works || install "a C compiler" gcc libc6-dev
    compiler_works || fail "cc doesn't compile a C program." "cc --version, and see that libc6-dev is installed"
}
