package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A wrapper of the object store for a start, which distinguishes one unreadable object (a bad
 * sector, a refused permission) from an outage. A read that fails is repeated, with pauses. After
 * each failure an object that this start has read before is read again. If that object can always
 * be read and the first one never, the first one is damaged. Its read fails with CORRUPT_DATA, so
 * that all that depends on it is set aside. If the other object cannot be read either, it is an
 * outage, and the read fails as it did. It is also an outage if more than {@value #MAX_DAMAGED}
 * objects cannot be read, as when one of several servers is away, or if a damaged object can be
 * read in the end ({@link #checkDamaged}). Then the start fails and may be repeated, and nothing is
 * set aside.
 *
 * <p>Failures of missing and short objects pass unchanged, as do listings and changes. From {@link
 * #serve} on everything passes unchanged. Thread-safe.
 */
public final class StartStore extends InterceptedReads {
    /**
     * Each with an answer about another object, so that a store that fails every second time
     * passes.
     */
    public static final int ATTEMPTS = 6;

    /** More than bad sectors and wrong permissions are likely to hit at a time. */
    public static final int MAX_DAMAGED = 8;

    private static final long FIRST_PAUSE_MILLIS = 250; // the last is 4 s, all together 8 s

    private final LongConsumer pauseMillis;
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String answered; // an object that was read before
    private volatile boolean isServing;

    /**
     * @param pauseMillis makes the calling thread wait
     */
    public StartStore(ObjectStore store, LongConsumer pauseMillis) {
        super(store);
        this.pauseMillis = requireNonNull(pauseMillis, "pauseMillis is null");
    }

    /**
     * Reads each damaged object once more.
     *
     * @throws IOException when one can be read now: the store was unreliable, and nothing may stay
     *     set aside because of the object
     */
    public void checkDamaged() throws IOException {
        for (String path : unreadable) {
            try {
                delegate().readFully(path);
            } catch (IOException still) {
                continue;
            }
            throw new IOException(
                    "Expected %s to be unreadable as in %d attempts before, found it readable: the store is unreliable; start again"
                            .formatted(describe(path), ATTEMPTS));
        }
    }

    /** Ends the start: from now on everything passes unchanged. */
    public void serve() {
        isServing = true;
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        byte[] content = super.readFully(path);
        answered = path;
        return content;
    }

    @Override
    public long size(String path) throws IOException {
        return intercept(path, WHOLE, () -> delegate().size(path));
    }

    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        ObjectReader reader = intercept(path, WHOLE, () -> delegate().open(path, sizeBytes));
        return isServing ? reader : intercepted(path, reader);
    }

    @Override
    public ObjectStore replacing(List<ObjectEntry> replaced) {
        return delegate().replacing(replaced);
    }

    @Override
    public ObjectStore admittingOnSecondAccess() {
        return delegate().admittingOnSecondAccess();
    }

    @Override
    <T> T intercept(String path, long offset, Read<T> read) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return read.read();
            } catch (NoSuchFileException | EOFException damaged) {
                throw damaged;
            } catch (IOException failed) {
                if (isServing) {
                    throw failed;
                }
                checkIsNoOutage(path, failed);
                if (attempt == ATTEMPTS || unreadable.contains(path)) {
                    addDamaged(path, failed);
                    throw damage(path, ATTEMPTS + " attempts", failed);
                }
                pauseMillis.accept(FIRST_PAUSE_MILLIS << (attempt - 1));
            }
        }
    }

    /** Notes a damaged object, so that the next read of it does not wait as long. */
    private synchronized void addDamaged(String path, IOException failed) throws IOException {
        if (unreadable.size() >= MAX_DAMAGED && !unreadable.contains(path)) {
            throw failed; // too many: an outage of a part of the store
        }
        unreadable.add(path);
    }

    /**
     * @throws IOException the failure, when the store does not return an object that it returned
     *     before either
     */
    private void checkIsNoOutage(String path, IOException failed) throws IOException {
        String known = answered;
        if (known == null || known.equals(path)) {
            throw failed;
        }
        try {
            checkAnswers(known);
        } catch (IOException outage) {
            failed.addSuppressed(outage);
            throw failed;
        }
    }
}
