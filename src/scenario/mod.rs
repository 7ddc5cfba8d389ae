//! Scenario files: model and loader (DESIGN section 5).
