package io.stele.storage.aggregate;

/**
 * Limits of a cache of fragment results.
 *
 * @param maxBytes what all results may take
 * @param maxEntryBytes what one result may take
 * @param verifyEvery every how many hits one is computed again and compared; 0: none
 */
public record FragmentCacheOptions(long maxBytes, int maxEntryBytes, long verifyEvery) {
    public FragmentCacheOptions {
        check("maxBytes", maxBytes);
        check("maxEntryBytes", maxEntryBytes);
        check("verifyEvery", verifyEvery);
    }

    private static void check(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "Expected " + name + " of at least 0, found " + value);
        }
    }
}
