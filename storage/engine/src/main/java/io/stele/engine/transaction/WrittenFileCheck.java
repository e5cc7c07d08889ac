package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.shard.StoreWait;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous check of the files of workers and bulk loads in the store, before a transaction
 * that adds them is prepared. Each object exists and has the given length, the key index opens, and
 * the checksums exist where the entry says so. After the decision it is too late to refuse the
 * files. Safe for use by many threads.
 */
final class WrittenFileCheck {
    /** Files at a time for one transaction, so that lookups of other callers find threads. */
    private static final int PARALLEL = 8;

    private final TableFiles files;
    private final Executor lookups;

    /**
     * @param lookups runs tasks that wait for the store
     */
    WrittenFileCheck(TableFiles files, Executor lookups) {
        this.files = requireNonNull(files, "files is null");
        this.lookups = requireNonNull(lookups, "lookups is null");
    }

    /**
     * Fails with CORRUPT_DATA if an object does not match its entry, and with STORE_FAILED if the
     * store does not answer; nothing has changed then.
     */
    CompletableFuture<@Nullable Void> check(Map<ShardId, List<FileEntry>> entries) {
        Queue<FileEntry> left = new ConcurrentLinkedQueue<>();
        entries.values().forEach(left::addAll);
        List<CompletableFuture<@Nullable Void>> workers = new ArrayList<>();
        for (int worker = Math.min(PARALLEL, left.size()); worker > 0; worker--) {
            workers.add(start(left));
        }
        return CompletableFuture.allOf(workers.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    private CompletableFuture<@Nullable Void> start(Queue<FileEntry> left) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        try {
            lookups.execute(() -> next(left, done));
        } catch (RejectedExecutionException full) {
            done.completeExceptionally(
                    new SteleException(ErrorCode.BUSY, "Reads of files are behind", full));
        }
        return done;
    }

    /** Checks one file, and the rest in a later task, since others may want the thread. */
    private void next(Queue<FileEntry> left, CompletableFuture<@Nullable Void> done) {
        try {
            FileEntry next = left.poll();
            if (next == null) {
                done.complete(null);
                return;
            }
            check(next);
            lookups.execute(() -> next(left, done));
        } catch (Throwable refused) {
            left.clear();
            done.completeExceptionally(refused);
        }
    }

    private void check(FileEntry entry) {
        try {
            checkSize(entry.path(), entry.sizeBytes());
            if (entry.bitmapIndexBytes().isPresent()) {
                checkSize(
                        WrittenFile.bitmapIndexPath(entry.path()),
                        entry.bitmapIndexBytes().getAsLong());
            }
            if (entry.checksumBlockBytes().isPresent()) {
                files.store().size(WrittenFile.checksumsPath(entry.path()));
            }
            if (entry.kind() == FileKind.ROW) {
                files.checkLoadedRows(entry);
            } else {
                files.checkKeyIndex(entry);
            }
        } catch (NoSuchFileException | EOFException wrong) {
            throw refused(entry, "Expected all objects of the file, whole", wrong);
        } catch (IOException failed) {
            throw StoreWait.isOutage(failed)
                    ? new SteleException(
                            ErrorCode.STORE_FAILED,
                            "Cannot look at file %s before its transaction is committed: %s"
                                    .formatted(files.store().describe(entry.path()), failed),
                            failed)
                    : refused(entry, "Expected a readable file", failed);
        } catch (SteleException wrong) {
            throw refused(entry, "Expected a readable file", wrong);
        }
    }

    private void checkSize(String path, long sizeBytes) throws IOException {
        long found = files.store().size(path);
        if (found != sizeBytes) {
            throw new EOFException(
                    "expected %d bytes, found %d in %s"
                            .formatted(sizeBytes, found, files.store().describe(path)));
        }
    }

    private SteleException refused(FileEntry entry, String expected, Exception found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "%s, found %s: the transaction that adds %s is refused, and nothing is changed"
                        .formatted(expected, found, files.store().describe(entry.path())),
                found);
    }
}
