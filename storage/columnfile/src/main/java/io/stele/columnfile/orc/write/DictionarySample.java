package io.stele.columnfile.orc.write;

import io.stele.protocol.schema.XxHash64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;

/**
 * An estimate, from the first rows of a new column file, whether a text column repeats its values.
 * A column without repetitions is written without a dictionary. Building dictionaries for ten
 * columns of random text costs more than the rest of the work to write them.
 */
final class DictionarySample {
    /**
     * Rows in the sample: of a column with 20,000 distinct values, they show about 10 % repeated
     * values.
     */
    static final int ROWS = 4096;

    /**
     * Above this share of distinct values, a dictionary saves nothing; ORC itself decides again
     * after the first row group.
     */
    private static final double MAX_DISTINCT_SHARE = 0.9;

    private DictionarySample() {}

    /** Whether the values of a column in these batches repeat. */
    static boolean repeats(List<VectorizedRowBatch> batches, int column) {
        Set<Long> hashes = new HashSet<>();
        int count = 0;
        for (VectorizedRowBatch batch : batches) {
            BytesColumnVector bytes = (BytesColumnVector) batch.cols[column];
            for (int row = 0; row < batch.size; row++) {
                if (bytes.noNulls || !bytes.isNull[row]) {
                    hashes.add(
                            XxHash64.hash(bytes.vector[row], bytes.start[row], bytes.length[row]));
                    count++;
                }
            }
        }
        return hashes.size() <= count * MAX_DISTINCT_SHARE;
    }
}
