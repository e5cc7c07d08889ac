package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * An object reader whose reads are counted in the account of a scan, whichever thread makes them.
 * Thread-safe.
 */
public final class AccountedReader implements ObjectReader {
    private final ObjectReader reader;
    private final ReadAccount account;

    private AccountedReader(ObjectReader reader, ReadAccount account) {
        this.reader = requireNonNull(reader, "reader is null");
        this.account = requireNonNull(account, "account is null");
    }

    /** A reader in the account of the present thread; the same reader if it has none. */
    public static ObjectReader of(ObjectReader reader) {
        return ReadAccount.current()
                .<ObjectReader>map(account -> new AccountedReader(reader, account))
                .orElse(reader);
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        account.call(
                () -> {
                    reader.read(offset, buffer, bufferOffset, length);
                    return length;
                });
    }

    @Override
    public boolean isPrefetching() {
        return reader.isPrefetching();
    }

    @Override
    public CompletableFuture<Long> prefetch(long offset, long length) {
        return account.call(() -> reader.prefetch(offset, length));
    }

    @Override
    public void release(long end) {
        reader.release(end);
    }

    @Override
    public long retainedBytes() {
        return reader.retainedBytes();
    }

    @Override
    public ObjectReader admittingOnSecondAccess() {
        return new AccountedReader(reader.admittingOnSecondAccess(), account);
    }

    @Override
    public ReadTally tally() {
        return reader.tally();
    }
}
