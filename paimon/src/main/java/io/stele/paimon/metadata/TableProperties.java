package io.stele.paimon.metadata;

import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.table.FileStoreTable;

/** The properties of tables as {@code SHOW CREATE TABLE} shows them. Stateless. */
public final class TableProperties {
    private static final String PRIMARY_KEY = "primary_key";
    private static final String PARTITIONED_BY = "partitioned_by";
    private static final String BUCKET = "bucket";
    private static final String BUCKET_KEY = "bucket_key";
    private static final String MERGE_ENGINE = "merge_engine";
    private static final String CHANGELOG_PRODUCER = "changelog_producer";
    private static final String DELETION_VECTORS = "deletion_vectors_enabled";
    private static final String FILE_FORMAT = "file_format";
    private static final String LOCATION = "location";

    private TableProperties() {}

    /** All of them. */
    public static List<PropertyMetadata<?>> all() {
        return List.of(
                names(PRIMARY_KEY, "Columns of the primary key"),
                names(PARTITIONED_BY, "Partition columns"),
                integerProperty(
                        BUCKET,
                        "Buckets of a partition; -1: dynamic, or none without a key; -2: postponed",
                        null,
                        false),
                names(BUCKET_KEY, "Columns whose hash chooses the bucket"),
                stringProperty(
                        MERGE_ENGINE,
                        "How rows of one key are merged: deduplicate, partial-update, aggregation or first-row",
                        null,
                        false),
                stringProperty(
                        CHANGELOG_PRODUCER,
                        "How changes are recorded: none, input, lookup or full-compaction",
                        null,
                        false),
                booleanProperty(
                        DELETION_VECTORS,
                        "Whether obsolete rows are marked by deletion vectors",
                        null,
                        false),
                stringProperty(FILE_FORMAT, "Format of new data files", null, false),
                stringProperty(LOCATION, "Directory of the table", null, false));
    }

    @SuppressWarnings("unchecked")
    private static PropertyMetadata<List<String>> names(String name, String description) {
        return new PropertyMetadata<>(
                name,
                description,
                new ArrayType(VARCHAR),
                (Class<List<String>>) (Class<?>) List.class,
                List.of(),
                false,
                value -> ((List<?>) value).stream().map(String.class::cast).toList(),
                value -> value);
    }

    /** The values of a table: those that are not Paimon's defaults. */
    static Map<String, Object> of(FileStoreTable table) {
        CoreOptions options = table.coreOptions();
        ImmutableMap.Builder<String, Object> properties = ImmutableMap.builder();
        properties.put(LOCATION, table.location().toString());
        properties.put(FILE_FORMAT, options.fileFormatString());
        if (!table.partitionKeys().isEmpty()) {
            properties.put(PARTITIONED_BY, lowerCase(table.partitionKeys()));
        }
        if (options.bucket() != -1) {
            properties.put(BUCKET, options.bucket());
        }
        String bucketKey = table.options().get(CoreOptions.BUCKET_KEY.key());
        if (bucketKey != null) {
            properties.put(
                    BUCKET_KEY, lowerCase(Splitter.on(',').trimResults().splitToList(bucketKey)));
        }
        if (!table.primaryKeys().isEmpty()) {
            properties.put(PRIMARY_KEY, lowerCase(table.primaryKeys()));
            properties.put(MERGE_ENGINE, options.mergeEngine().toString());
            properties.put(CHANGELOG_PRODUCER, options.changelogProducer().toString());
        }
        if (options.deletionVectorsEnabled()) {
            properties.put(DELETION_VECTORS, true);
        }
        return properties.buildOrThrow();
    }

    private static List<String> lowerCase(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
}
