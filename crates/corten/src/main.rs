//! The program `corten`. All it is made of is in the library beside it.

fn main() -> std::process::ExitCode {
    corten::run()
}
