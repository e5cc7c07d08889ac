package io.stele.testing;

import java.io.IOException;

/**
 * A process that is stopped by SIGSTOP until this is closed: it can be connected to, but answers
 * nothing. Confined to one thread.
 */
public final class PausedProcess implements AutoCloseable {
    private final long pid;

    private PausedProcess(long pid) {
        this.pid = pid;
    }

    public static PausedProcess pause(long pid) throws IOException {
        signal(pid, "STOP");
        return new PausedProcess(pid);
    }

    /** Lets the process go on. */
    @Override
    public void close() throws IOException {
        signal(pid, "CONT");
    }

    private static void signal(long pid, String name) throws IOException {
        Process sender =
                new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start();
        // Also for who is interrupted: a stopped process would never end
        if (sender.onExit().join().exitValue() != 0) {
            throw new IOException("Cannot send SIG%s to process %d".formatted(name, pid));
        }
    }
}
