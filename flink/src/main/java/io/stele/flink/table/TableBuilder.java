package io.stele.flink.table;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.SteleOptions;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The common part of the builders of sources and sinks: which table, and where. Confined to one
 * thread.
 *
 * @param <B> the builder itself, which each method returns
 */
public abstract class TableBuilder<B extends TableBuilder<B>> {
    private final Configuration config = new Configuration();
    private List<String> columns = List.of();

    /** Only builders of this module. */
    protected TableBuilder() {}

    /** Sidecars as {@code host:port} of {@code stele.client.port}; any one leads to all. */
    public B endpoints(String... endpoints) {
        config.set(SteleOptions.ENDPOINTS, List.of(endpoints));
        return self();
    }

    /** The shared secret of the sidecars. */
    public B secret(String secret) {
        config.set(SteleOptions.SECRET, requireNonNull(secret, "secret is null"));
        return self();
    }

    /** The table. */
    public B table(String schemaName, String tableName) {
        config.set(SteleOptions.SCHEMA_NAME, requireNonNull(schemaName, "schemaName is null"));
        config.set(SteleOptions.TABLE_NAME, requireNonNull(tableName, "tableName is null"));
        return self();
    }

    /** The columns that rows have, in this order; without a call all of the table, in its order. */
    public B columns(String... names) {
        columns = List.of(names);
        return self();
    }

    /**
     * Any other option, as tables of SQL have it.
     *
     * @param key such as {@code unavailable-timeout}
     * @param value as text, with its unit
     */
    public B option(String key, String value) {
        config.setString(
                requireNonNull(key, "key is null"), requireNonNull(value, "value is null"));
        return self();
    }

    /** This builder. */
    protected abstract B self();

    /** All options that were given. */
    protected final ReadableConfig config() {
        return config;
    }

    /**
     * Asks a sidecar for the table.
     *
     * @throws ValidationException what must be given was not, there is no such table or column, or
     *     no sidecar answers
     */
    protected final BoundTable bind() {
        return BoundTable.declare(
                ConnectionOptions.of(config),
                ConnectionOptions.required(config, SteleOptions.SCHEMA_NAME),
                ConnectionOptions.required(config, SteleOptions.TABLE_NAME),
                columns);
    }
}
