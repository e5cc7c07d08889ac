package io.stele.flink.option;

import io.stele.protocol.schema.Orientation;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/** The options of CREATE TABLE in a catalog. Stele stores their values with the table. */
public final class CreationOptions {
    /** The number of shards, as in Trino's connector. */
    public static final ConfigOption<Integer> SHARD_COUNT =
            ConfigOptions.key("shard-count").intType().defaultValue(4);

    public static final ConfigOption<String> TABLE_GROUP =
            ConfigOptions.key("table-group").stringType().defaultValue("");

    public static final ConfigOption<String> ORIENTATION =
            ConfigOptions.key("orientation").stringType().defaultValue(Orientation.COLUMN.text());

    public static final ConfigOption<List<String>> DISTRIBUTION_KEY =
            ConfigOptions.key("distribution-key").stringType().asList().noDefaultValue();

    /** All options of this class. */
    public static final Set<ConfigOption<?>> ALL =
            Set.of(SHARD_COUNT, TABLE_GROUP, ORIENTATION, DISTRIBUTION_KEY);

    private CreationOptions() {}
}
