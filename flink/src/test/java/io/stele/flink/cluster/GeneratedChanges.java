package io.stele.flink.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Change number i of a seed as a row (id, change): an upsert of a random key, or one in eight times
 * a deletion.
 */
public record GeneratedChanges(long seed) implements GeneratorFunction<Long, Row> {
    public static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(new String[] {"id", "change"}, Types.LONG, Types.LONG);

    private static final int KEYS = 200;

    @Override
    public Row map(Long i) {
        return row(i);
    }

    public Row row(long i) {
        Random random = new Random(seed * 1_000_003 + i);
        random.nextLong();
        return Row.ofKind(
                random.nextInt(8) == 0 ? RowKind.DELETE : RowKind.UPDATE_AFTER,
                (long) random.nextInt(KEYS),
                i);
    }

    /** What a table has of the first changes: the last one of each key. */
    public Map<Long, Long> state(long count) {
        Map<Long, Long> state = new TreeMap<>();
        for (long i = 0; i < count; i++) {
            Row change = row(i);
            if (change.getKind() == RowKind.DELETE) {
                state.remove(change.<Long>getFieldAs(0));
            } else {
                state.put(change.getFieldAs(0), i);
            }
        }
        return state;
    }

    /** The first changes as rows of a table that takes each as an insert. */
    public List<List<Object>> log(long count) {
        List<List<Object>> log = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            log.add(List.of(row(i).<Long>getFieldAs(0), i));
        }
        return log;
    }
}
