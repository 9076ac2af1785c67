//! The program `arena`; everything is in the library.

fn main() -> std::process::ExitCode {
    mancala_arena::main()
}
