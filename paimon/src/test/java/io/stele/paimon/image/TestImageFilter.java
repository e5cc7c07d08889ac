package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.TestingLake;
import io.stele.paimon.lease.ManualChecks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestImageFilter {
    private static final Timestamp MOMENT = Timestamp.fromEpochMillis(1_000, 123_456);
    private static final Timestamp JUST_BEFORE = Timestamp.fromEpochMillis(1_000, 123_455);

    @TempDir Path folder;

    /** Paimon's indexes have six digits of moments, so that they cannot tell these two apart. */
    @ParameterizedTest
    @CsvSource({"bitmap, false", "bsi, false", "bitmap, true", "bsi, true"})
    void indexesDoNotDropMomentsOfNineDigits(String index, boolean isKeyed) throws Exception {
        try (TestingLake lake = new TestingLake(folder)) {
            Schema.Builder schema =
                    Schema.newBuilder()
                            .column("t", DataTypes.TIMESTAMP(9).notNull())
                            .column("v", DataTypes.INT())
                            .option("file-index.%s.columns".formatted(index), "t")
                            .option("file-index.in-manifest-threshold", "1MB");
            if (isKeyed) {
                schema.primaryKey("t").option("bucket", "1");
            }
            FileStoreTable table = lake.create("d", "t", schema.build());
            lake.write(table, List.of(GenericRow.of(MOMENT, 1)), isKeyed);
            PredicateBuilder conditions = new PredicateBuilder(table.rowType());
            for (Predicate condition :
                    List.of(
                            conditions.greaterThan(0, JUST_BEFORE),
                            conditions.notEqual(0, JUST_BEFORE),
                            conditions.equal(0, MOMENT))) {
                assertThat(find(table, condition)).as(condition.toString()).hasSize(1);
            }
        }
    }

    private static List<ManifestEntry> find(FileStoreTable table, Predicate condition)
            throws Exception {
        TableSchemas schemas = new TableSchemas(1 << 20);
        TableImages images =
                new TableImages(
                        new ImageOptions(64 << 20, 4, 50, 3, 3, Duration.ofSeconds(30)),
                        new ManualChecks(),
                        Runnable::run,
                        Optional.empty());
        return images.image(table, table.snapshotManager().latestSnapshot())
                .find(ImageFilter.builder(table, schemas).where(condition).asBatchScan().build());
    }
}
