package io.stele.benchmarks.ingest;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Rows of YCSB's shape: a key of 23 bytes ({@code user} and 19 digits of a hash) and ten fields of
 * 100 random printable bytes, which do not compress to any useful degree.
 *
 * <p>Immutable; safe for concurrent use.
 */
public final class UserRows {
    public static final int FIELDS = 10;
    public static final int FIELD_BYTES = 100;

    /**
     * Fields start at any offset of this pool, so that rows differ without drawing 1,000 characters
     * each.
     */
    private static final int POOL_BYTES = 1 << 20;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long KEY_DIGITS = 10_000_000_000_000_000_00L;

    private final byte[] pool;

    public UserRows(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        pool = new byte[POOL_BYTES];
        for (int index = 0; index < pool.length; index++) {
            pool[index] = (byte) random.nextInt('0', '~');
        }
    }

    /** The key of row {@code number}. */
    public static String key(long number) {
        long hash = FNV_OFFSET;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            hash = (hash ^ ((number >>> shift) & 0xff)) * FNV_PRIME;
        }
        String digits = Long.toString(Math.floorMod(hash, 9 * KEY_DIGITS) + KEY_DIGITS);
        return "user" + digits;
    }

    /** The start of field {@code field} of row {@code number} in the pool. */
    private static int offset(long number, int field) {
        long mixed = (number * FIELDS + field) * 0x9e3779b97f4a7c15L;
        return (int) ((mixed >>> 40) % (POOL_BYTES - FIELD_BYTES));
    }

    public String field(long number, int field) {
        return new String(pool, offset(number, field), FIELD_BYTES, StandardCharsets.ISO_8859_1);
    }

    /** The row's values for a writer of Stele's client: key, then the ten fields. */
    public Object[] values(long number) {
        Object[] values = new Object[1 + FIELDS];
        values[0] = key(number);
        for (int field = 0; field < FIELDS; field++) {
            values[1 + field] = field(number, field);
        }
        return values;
    }

    /** The ten fields as one value, for a store without columns. */
    public byte[] bytes(long number) {
        byte[] bytes = new byte[FIELDS * FIELD_BYTES];
        for (int field = 0; field < FIELDS; field++) {
            System.arraycopy(pool, offset(number, field), bytes, field * FIELD_BYTES, FIELD_BYTES);
        }
        return bytes;
    }
}
