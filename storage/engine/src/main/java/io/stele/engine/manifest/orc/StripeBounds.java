package io.stele.engine.manifest.orc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.jspecify.annotations.Nullable;

/**
 * The smallest and greatest value of one column in the files of a stripe, which all rows of the
 * stripe have: conditions are compared with the statistics of stripes, so values of each file would
 * only cost bytes. Confined to one thread.
 */
final class StripeBounds {
    private byte @Nullable [] min;
    private byte @Nullable [] max;
    private int files; // that have bounds

    /** Adds the bounds of a file. */
    void add(byte[] fileMin, byte[] fileMax) {
        if (min == null || Arrays.compareUnsigned(fileMin, min) < 0) {
            min = fileMin;
        }
        if (max == null || Arrays.compareUnsigned(fileMax, max) > 0) {
            max = fileMax;
        }
        files++;
    }

    /**
     * Sets two columns of a stripe.
     *
     * @param rows the number of rows of the stripe; if fewer files have bounds, those of the stripe
     *     are unknown
     */
    void set(ColumnVector ofMin, ColumnVector ofMax, int rows) {
        boolean known = files == rows;
        repeat((BytesColumnVector) ofMin, known ? min : null);
        repeat((BytesColumnVector) ofMax, known ? max : null);
    }

    private static void repeat(BytesColumnVector vector, byte @Nullable [] value) {
        vector.isRepeating = true;
        ManifestRows.set(
                vector,
                0,
                Optional.ofNullable(value).map(it -> ManifestRows.text(it).getBytes(UTF_8)));
    }
}
