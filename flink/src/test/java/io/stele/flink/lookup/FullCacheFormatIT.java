package io.stele.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.BaseSidecarIT;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Loads of a full cache from a real sidecar that is killed meanwhile. */
final class FullCacheFormatIT extends BaseSidecarIT {
    private static final long ROWS = 200;

    /** A format as a task has it, with a table of four shards. */
    private static FullCacheFormat open(String table, int maxRetries) throws Exception {
        sidecar.createTable(table, Orientation.ROW, 1, "id bigint", "name varchar");
        write(table, LongStream.range(0, ROWS));
        BoundTable bound =
                BoundTable.declare(
                        ConnectionOptions.of(config(Map.of("unavailable-timeout", "10 s"))),
                        "shop",
                        table,
                        List.of("id"));
        FullCacheFormat format =
                InstantiationUtil.clone(
                        new FullCacheFormat(bound, Duration.ofMinutes(1), maxRetries));
        format.open(format.createInputSplits(1)[0]);
        return format;
    }

    private static void write(String table, LongStream ids) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", table)) {
            ids.forEach(id -> writer.write(id, "n" + id));
        }
    }

    private static List<Long> read(FullCacheFormat format) throws IOException {
        List<Long> ids = new ArrayList<>();
        while (!format.reachedEnd()) {
            RowData row = format.nextRecord(new GenericRowData(1));
            ids.add(row.getLong(0));
        }
        return ids;
    }

    @Test
    void aLoadHasOneSnapshotAlsoOverARestart() throws Exception {
        FullCacheFormat format = open("restarted", 3);
        try {
            List<Long> ids = new ArrayList<>();
            assertThat(format.reachedEnd()).isFalse(); // the first shard is read
            ids.add(format.nextRecord(new GenericRowData(1)).getLong(0));
            write("restarted", LongStream.range(ROWS, 2 * ROWS));
            sidecar.restart();
            ids.addAll(read(format));
            assertThat(ids)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, ROWS).boxed().toList());
        } finally {
            format.close();
        }
    }

    @Test
    void aLoadOfAnotherTableOfTheNameFails() throws Exception {
        FullCacheFormat format = open("replaced", 3);
        try {
            assertThat(format.reachedEnd()).isFalse();
            sidecar.dropTable("replaced");
            sidecar.createTable("replaced", Orientation.ROW, 1, "id bigint", "name varchar");
            assertThatThrownBy(() -> read(format))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Cannot read shard 1 of table shop.replaced of Stele");
        } finally {
            format.close();
        }
    }

    @Test
    void aLoadWithoutASidecarFails() throws Exception {
        FullCacheFormat format = open("abandoned", 0);
        sidecar.kill();
        try {
            assertThatThrownBy(() -> read(format))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Cannot read shard 0 of table shop.abandoned of Stele");
        } finally {
            format.close();
            sidecar.restart();
        }
    }
}
