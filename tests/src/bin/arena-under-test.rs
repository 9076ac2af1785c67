//! The program `arena` under a name of this package: Cargo gives a test the paths of its own package's programs only.

fn main() -> std::process::ExitCode {
    mancala_arena::main()
}
