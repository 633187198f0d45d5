// Counts an invocation's loop iterations against its iteration budget.

var<private> loop_iterations: u32;
