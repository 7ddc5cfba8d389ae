# Everything that CI does.
check:
    .ci/run

# All tests.
test:
    cargo test

# Timing of the main command and of judging a large capture.
bench:
    cargo bench
