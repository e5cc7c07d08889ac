package io.stele.connector.handle;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.hash.Hashing;
import java.util.Locale;

/**
 * The part of a table handle that describes a sample of the table: each row group of its files, and
 * each row that a sidecar sends, is in it with the same probability, independently of other row
 * groups and rows. Immutable.
 *
 * @param ratio the probability, 0 to 1
 * @param seed which sample of that size
 */
public record SteleSample(double ratio, long seed) {
    public SteleSample {
        checkArgument(ratio >= 0 && ratio <= 1, "ratio must be 0 to 1: %s", ratio);
    }

    /** Whether the sample contains the row group of a file that starts at row {@code firstRow}. */
    public boolean hasGroup(String path, long firstRow) {
        long hash =
                Hashing.murmur3_128()
                        .newHasher()
                        .putLong(seed)
                        .putUnencodedChars(path)
                        .putLong(firstRow)
                        .hash()
                        .asLong();
        // The upper 53 bits as a number of 0 to 1, as random numbers are made
        return (hash >>> 11) * 0x1.0p-53 < ratio;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s%%", ratio * 100);
    }
}
