import Glibc

/// Runs the function, which captures nothing, when the process ends in an orderly way.
package func runAtExit(_ body: @escaping @convention(c) () -> Void) {
  // It fails for lack of memory only; then nothing is run.
  _ = atexit(body)
}
