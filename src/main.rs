//! The `hallmark` binary.

fn main() -> std::process::ExitCode {
    mcp_hallmark::cli::main()
}
