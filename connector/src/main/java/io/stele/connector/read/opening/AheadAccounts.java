package io.stele.connector.read.opening;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.cache.ReadAccount;
import io.stele.connector.handle.SteleFileSplit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The accounts of splits that are being opened ahead of their scans, so that what was fetched ahead
 * counts as fetched by the scan. Those whose split is never read are dropped, the oldest first.
 * Thread-safe.
 */
final class AheadAccounts {
    /** Splits of 256 scans; some 300 bytes each. */
    private static final int MAX_ACCOUNTS = 256 * FilePreopener.MAX_SPLITS;

    @GuardedBy("this")
    private final Map<Key, ReadAccount> accounts =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, ReadAccount> eldest) {
                    return size() > MAX_ACCOUNTS;
                }
            };

    /** A query reads a part of a file. */
    private record Key(String queryId, String path, long start) {
        static Key of(String queryId, SteleFileSplit split) {
            return new Key(queryId, split.path(), split.start());
        }
    }

    /** The account in which a split is opened ahead, until the query {@link #take}s it. */
    synchronized ReadAccount open(String queryId, SteleFileSplit split) {
        return accounts.computeIfAbsent(Key.of(queryId, split), _ -> new ReadAccount());
    }

    /** The account of a split's scan: a new one if the split was not opened ahead. */
    synchronized ReadAccount take(String queryId, SteleFileSplit split) {
        ReadAccount account = accounts.remove(Key.of(queryId, split));
        return account == null ? new ReadAccount() : account;
    }
}
