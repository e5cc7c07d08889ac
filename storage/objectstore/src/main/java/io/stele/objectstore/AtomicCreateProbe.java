package io.stele.objectstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/**
 * A test of an object store at the start of an engine: of concurrent conditional creations of one
 * object, exactly one must succeed. The single owner of a shard and the single outcome of a
 * transaction depend on that. Some services accept the condition but do not enforce it. Concurrent
 * tasks create the same object, which is deleted afterwards. A fault in one race of many can go
 * unseen; a fault in most cannot.
 */
public final class AtomicCreateProbe {
    private static final String FOLDER = "probe/";
    private static final int RACES = 3;
    private static final int RACERS = 8;

    private final ObjectStore store;
    private final Executor executor;

    private AtomicCreateProbe(ObjectStore store, Executor executor) {
        this.store = store;
        this.executor = executor;
    }

    /**
     * Runs the races in parallel on new objects, and deletes these. Waits for the store four times,
     * for any number of races.
     *
     * @param executor runs at least 27 tasks at the same time
     * @param id of this probe, never used before
     * @throws IOException naming the object and what was found, if more or fewer than one of the
     *     racers succeeded or the object is not the winner's; or if the store failed
     */
    public static void check(ObjectStore store, Executor executor, UUID id) throws IOException {
        requireNonNull(store, "store is null");
        requireNonNull(executor, "executor is null");
        requireNonNull(id, "id is null");
        AtomicCreateProbe probe = new AtomicCreateProbe(store, executor);
        List<CompletableFuture<Boolean>> races = new ArrayList<>();
        for (int race = 1; race <= RACES; race++) {
            String path = FOLDER + id + "-" + race;
            races.add(
                    probe.start(
                            () -> {
                                probe.raceAndDelete(path);
                                return true;
                            }));
        }
        IOException failure = null;
        for (CompletableFuture<Boolean> race : races) {
            try {
                joined(race);
            } catch (IOException e) {
                if (failure != null) {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void raceAndDelete(String path) throws IOException {
        try {
            race(path);
        } catch (IOException e) {
            deleteAfter(e, path);
            throw e;
        }
        store.delete(path);
    }

    /** The fault of the store may also prevent the deletion. */
    private void deleteAfter(IOException failure, String path) {
        try {
            store.delete(path);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void race(String path) throws IOException {
        List<byte[]> won = winners(path);
        if (won.size() != 1) {
            throw refused(
                    path, won.size() + " of " + RACERS + " racing creators that succeeded, not 1");
        }
        if (store.createIfAbsent(path, content("latecomer"))) {
            throw refused(path, "another object in place of one that was there");
        }
        if (!Arrays.equals(store.readFully(path), won.getFirst())) {
            throw refused(path, "the content of a creator that was told it had lost");
        }
    }

    private CompletableFuture<Boolean> start(Callable<Boolean> step) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return step.call();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("interrupted", e);
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                executor);
    }

    private List<byte[]> winners(String path) throws IOException {
        CountDownLatch allReady = new CountDownLatch(RACERS);
        List<CompletableFuture<Boolean>> racers = new ArrayList<>();
        for (int racer = 0; racer < RACERS; racer++) {
            byte[] content = content("racer " + racer);
            racers.add(
                    start(
                            () -> {
                                allReady.countDown();
                                allReady.await();
                                return store.createIfAbsent(path, content);
                            }));
        }
        List<byte[]> won = new ArrayList<>();
        for (int racer = 0; racer < RACERS; racer++) {
            if (joined(racers.get(racer))) {
                won.add(content("racer " + racer));
            }
        }
        return won;
    }

    private static boolean joined(CompletableFuture<Boolean> racer) throws IOException {
        try {
            return racer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException failure) {
                throw new IOException(failure.getMessage(), failure);
            }
            throw e;
        }
    }

    private static byte[] content(String who) {
        return who.getBytes(UTF_8);
    }

    private IOException refused(String path, String found) {
        return new IOException(
                "Expected a store that creates an object once (If-None-Match: * on S3), found "
                        + found
                        + ": "
                        + store.describe(path));
    }
}
