package io.stele.cache;

/**
 * The limits of a {@link BenefitCache}: its bytes, the bytes of one value, and the share of
 * verified hits.
 *
 * @param maxBytes the most bytes of all entries together
 * @param maxEntryBytes the most bytes of one value
 * @param verifyEvery of this many hits, one is computed again and compared; 0: none
 */
public record BenefitCacheOptions(long maxBytes, int maxEntryBytes, long verifyEvery) {
    public BenefitCacheOptions {
        check("maxBytes", maxBytes);
        check("maxEntryBytes", maxEntryBytes);
        check("verifyEvery", verifyEvery);
    }

    /**
     * @param verifyShare the share of hits that are computed again, 0 to 1
     */
    public static BenefitCacheOptions of(long maxBytes, long maxEntryBytes, double verifyShare) {
        return new BenefitCacheOptions(
                maxBytes,
                Math.toIntExact(maxEntryBytes),
                verifyShare == 0 ? 0 : Math.max(1, Math.round(1 / verifyShare)));
    }

    private static void check(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "Expected " + name + " of at least 0, found " + value);
        }
    }
}
