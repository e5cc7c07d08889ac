package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;

/**
 * The mapping between Trino's table properties, as {@code CREATE TABLE} has them, and Paimon's
 * table options. Stateless.
 */
public final class TableProperties {
    private static final String PRIMARY_KEY = "primary_key";
    private static final String PARTITIONED_BY = "partitioned_by";
    private static final String BUCKET = "bucket";
    private static final String BUCKET_KEY = "bucket_key";
    private static final String MERGE_ENGINE = "merge_engine";
    private static final String CHANGELOG_PRODUCER = "changelog_producer";
    private static final String DELETION_VECTORS = "deletion_vectors";
    private static final String FILE_FORMAT = "file_format";
    private static final String OPTIONS = "options";

    /** Options that name columns of the table, or its place. */
    private static final Set<String> NOT_OPTIONS =
            Set.of(
                    CoreOptions.PRIMARY_KEY.key(),
                    CoreOptions.PARTITION.key(),
                    CoreOptions.PATH.key(),
                    CoreOptions.BRANCH.key());

    /** Options that have a property of their own, by the property's name. */
    private static final Map<String, String> NAMED =
            ImmutableMap.of(
                    BUCKET, CoreOptions.BUCKET.key(),
                    BUCKET_KEY, CoreOptions.BUCKET_KEY.key(),
                    MERGE_ENGINE, CoreOptions.MERGE_ENGINE.key(),
                    CHANGELOG_PRODUCER, CoreOptions.CHANGELOG_PRODUCER.key(),
                    DELETION_VECTORS, CoreOptions.DELETION_VECTORS_ENABLED.key(),
                    FILE_FORMAT, CoreOptions.FILE_FORMAT.key());

    private TableProperties() {}

    /** The definitions of all properties, for Trino. */
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
                        "How rows of one key are merged: deduplicate, partial-update, aggregation"
                                + " or first-row",
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
                stringProperty(
                        FILE_FORMAT, "Format of new data files: parquet, orc or avro", null, false),
                optionsProperty());
    }

    /** An array, since {@code SHOW CREATE TABLE} has no text of a map. */
    @SuppressWarnings("unchecked")
    private static PropertyMetadata<Map<String, String>> optionsProperty() {
        return new PropertyMetadata<>(
                OPTIONS,
                "Other options of Paimon, each as 'name=value'",
                new ArrayType(VARCHAR),
                (Class<Map<String, String>>) (Class<?>) Map.class,
                Map.of(),
                false,
                value -> options((List<?>) value),
                value ->
                        value.entrySet().stream()
                                .map(option -> option.getKey() + "=" + option.getValue())
                                .toList());
    }

    private static Map<String, String> options(List<?> texts) {
        Map<String, String> options = new LinkedHashMap<>();
        for (Object text : texts) {
            String option = text == null ? "" : (String) text;
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw invalid("Expected options as 'name=value', found '%s'", option);
            }
            String name = option.substring(0, equals);
            if (NAMED.containsValue(name) || NOT_OPTIONS.contains(name)) {
                throw invalid("Expected options without a property of their own, found %s", name);
            }
            if (isReserved(name)) {
                throw invalid(
                        "Expected options that keep to the lake and to Paimon's own code, found %s",
                        name);
            }
            if (options.put(name, option.substring(equals + 1)) != null) {
                throw invalid("Expected each option once, found %s twice", name);
            }
        }
        return options;
    }

    /**
     * Whether an option makes the coordinator run classes by name, call other services, or read and
     * write outside the table's folder under the catalog's identity.
     */
    private static boolean isReserved(String option) {
        return option.startsWith("commit.callback")
                || option.startsWith("tag.callback")
                || option.startsWith("partition.mark-done-action")
                || option.startsWith("data-file.external-paths")
                || option.startsWith("global-index.external-path")
                || option.startsWith("blob-external-storage")
                || option.startsWith("metadata.iceberg.");
    }

    private static TrinoException invalid(String message, Object... arguments) {
        return new TrinoException(INVALID_TABLE_PROPERTY, message.formatted(arguments));
    }

    /** The columns of the primary key of a new table. */
    @SuppressWarnings("unchecked")
    static List<String> primaryKey(Map<String, Object> properties) {
        return (List<String>) properties.getOrDefault(PRIMARY_KEY, List.of());
    }

    /** The partition columns of a new table. */
    @SuppressWarnings("unchecked")
    static List<String> partitionedBy(Map<String, Object> properties) {
        return (List<String>) properties.getOrDefault(PARTITIONED_BY, List.of());
    }

    /** Paimon's options of a new table. */
    @SuppressWarnings("unchecked")
    static Map<String, String> toOptions(Map<String, Object> properties) {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        NAMED.forEach(
                (property, option) -> {
                    Object value = properties.get(property);
                    if (value != null && !value.equals(List.of())) {
                        options.put(option, text(value));
                    }
                });
        options.putAll((Map<String, String>) properties.getOrDefault(OPTIONS, Map.of()));
        return options.buildOrThrow();
    }

    private static String text(Object value) {
        return value instanceof List<?> names
                ? names.stream().map(String.class::cast).collect(Collectors.joining(","))
                : value.toString();
    }

    /**
     * The changes of options for properties that a statement sets.
     *
     * @param properties empty: the default of a property
     * @param present the options that the table has
     */
    @SuppressWarnings("unchecked")
    static List<SchemaChange> changes(
            Map<String, Optional<Object>> properties, Map<String, String> present) {
        List<SchemaChange> changes = new ArrayList<>();
        properties.forEach(
                (property, value) -> {
                    if (NAMED.containsKey(property)) {
                        String option = requireNonNull(NAMED.get(property));
                        changes.add(
                                value.map(set -> SchemaChange.setOption(option, text(set)))
                                        .orElseGet(() -> SchemaChange.removeOption(option)));
                    } else if (property.equals(OPTIONS)) {
                        Map<String, String> wanted = (Map<String, String>) value.orElse(Map.of());
                        others(present).keySet().stream()
                                .filter(option -> !wanted.containsKey(option))
                                .forEach(option -> changes.add(SchemaChange.removeOption(option)));
                        wanted.forEach(
                                (option, text) ->
                                        changes.add(SchemaChange.setOption(option, text)));
                    } else {
                        throw new TrinoException(
                                NOT_SUPPORTED,
                                "Expected a property that can be changed, found " + property);
                    }
                });
        return changes;
    }

    /** The options without a property of their own. */
    private static Map<String, String> others(Map<String, String> options) {
        return options.entrySet().stream()
                .filter(
                        option ->
                                !NAMED.containsValue(option.getKey())
                                        && !NOT_OPTIONS.contains(option.getKey())
                                        && !isReserved(option.getKey()))
                .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));
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

    /** The property values of a table, as {@code SHOW CREATE TABLE} shows them. */
    static Map<String, Object> of(FileStoreTable table) {
        CoreOptions options = table.coreOptions();
        ImmutableMap.Builder<String, Object> properties = ImmutableMap.builder();
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
        Map<String, String> others = others(table.schema().options());
        if (!others.isEmpty()) {
            properties.put(OPTIONS, others);
        }
        return properties.buildOrThrow();
    }

    private static List<String> lowerCase(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
}
