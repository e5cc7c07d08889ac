package io.stele.sidecar.process;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.TestingSidecar;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A client of PostgreSQL's protocol that runs writes with rising numbers, each once, from a thread
 * of its own. It connects again when the server is back. Thread-safe.
 */
final class NumberedWrites {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final int port;
    private final Write write;
    private final Set<Long> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile long count;
    private volatile boolean stopped;

    /** A write. */
    @FunctionalInterface
    interface Write {
        /** Returns when it is acknowledged. */
        void run(Connection connection, long number) throws SQLException;
    }

    NumberedWrites(int port, Write write) {
        this.port = port;
        this.write = requireNonNull(write, "write is null");
        Thread.ofPlatform().daemon().name("writes").start(this::run);
    }

    static Connection connect(int port) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "ann");
        properties.setProperty("password", TestingSidecar.SECRET);
        properties.setProperty("currentSchema", "shop");
        properties.setProperty("socketTimeout", "60");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele".formatted(port), properties);
    }

    private void run() {
        try {
            while (!stopped) {
                runWhileServed();
            }
            ended.complete(null);
        } catch (SQLException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    private void runWhileServed() throws SQLException {
        try (Connection connection = connect(port)) {
            while (!stopped) {
                runNext(connection);
            }
        } catch (SQLException e) {
            if (!isAway(e)) {
                throw e;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
    private void runNext(Connection connection) throws SQLException {
        long number = count;
        open.add(number);
        count++;
        write.run(connection, number);
        open.remove(number);
    }

    /** A connection that broke or was refused. */
    private static boolean isAway(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("08") || state.equals("57P03");
    }

    /** The number of writes so far, with those that are open. */
    long count() {
        return count;
    }

    /** Whether it has no answer: it may have taken place or not. */
    boolean isOpen(long number) {
        return open.contains(number);
    }

    long acknowledgedCount() {
        return count - open.size();
    }

    void awaitAcknowledged(long wanted) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (acknowledgedCount() < wanted) {
            assertThat(ended).isNotDone();
            assertThat(System.nanoTime()).as("The writes go on").isLessThan(deadline);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Waits for the answer of the last one. */
    void stop() {
        stopped = true;
        ended.join();
    }
}
