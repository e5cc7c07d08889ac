package io.stele.sidecar;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.engine.node.EngineFailure;
import java.io.PrintStream;
import java.time.Duration;

/**
 * The shutdown of the process after a permanent failure of its engine, with an exit code that lets
 * a supervisor restart it to replay the log. Only the main class uses it. Safe for use by many
 * threads.
 */
final class FailureExit {
    /*
     * A sidecar that was taken over ends with a code of its own. A supervisor that started it again
     * would take the log back, the other one would end and do the same, for ever. Only the
     * supervisor knows how many sidecars there are to be, so it must not restart on that code;
     * docs/operations.md.
     */
    private static final Logger log = Logger.get(FailureExit.class);

    /** Not 1 (cannot start) nor 3 (out of memory). */
    static final int LOG_FAILED = 4;

    static final int TAKEN_OVER = 5;

    /** Three seconds of requests, five of cancelled calls, and the engine's threads. */
    private static final Duration BOUND = Duration.ofSeconds(15);

    private final AutoCloseable server;
    private final PrintStream terminal;
    private final Duration bound;

    /**
     * @param server is closed first, which may take any time
     * @param terminal receives the last line
     */
    FailureExit(AutoCloseable server, PrintStream terminal) {
        this(server, terminal, BOUND);
    }

    /**
     * @param bound time after which the process is halted, even if its shutdown hangs
     */
    FailureExit(AutoCloseable server, PrintStream terminal, Duration bound) {
        this.bound = requireNonNull(bound, "bound is null");
        this.server = requireNonNull(server, "server is null");
        this.terminal = requireNonNull(terminal, "terminal is null");
    }

    static int code(EngineFailure failure) {
        return failure.isTakenOver() ? TAKEN_OVER : LOG_FAILED;
    }

    static String describe(EngineFailure failure) {
        return failure.isTakenOver()
                ? "Stele sidecar ends with exit code %d, and is not to be started again: another one has taken its log over: %s"
                        .formatted(TAKEN_OVER, failure.cause().getMessage())
                : "Stele sidecar ends with exit code %d, and is to be started again: %s"
                        .formatted(LOG_FAILED, failure.cause().getMessage());
    }

    /**
     * Starts the shutdown on another thread and returns, because the caller may be the log's
     * thread.
     */
    void begin(EngineFailure failure) {
        // Not a daemon, unlike the log's thread: else the JVM would end with 0 once the servers are
        // closed
        Thread ending =
                Thread.ofPlatform().daemon(false).name("failure-exit").start(() -> end(failure));
        Thread.ofPlatform().daemon().name("failure-halt").start(() -> haltAfter(ending, failure));
    }

    private void end(EngineFailure failure) {
        try {
            log.error("%s", describe(failure));
            server.close();
        } catch (Exception e) {
            log.warn(e, "Cannot close the sidecar in order");
        } finally {
            exit(failure);
        }
    }

    @EndsProcess
    private void exit(EngineFailure failure) {
        terminal.println(describe(failure));
        terminal.flush();
        System.exit(code(failure));
    }

    /**
     * Halts the process after the bound, even if something hangs, such as a disk that does not
     * reply.
     */
    private void haltAfter(Thread ending, EngineFailure failure) {
        try {
            ending.join(bound);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        halt(code(failure));
    }

    @EndsProcess
    private static void halt(int code) {
        Runtime.getRuntime().halt(code);
    }
}
