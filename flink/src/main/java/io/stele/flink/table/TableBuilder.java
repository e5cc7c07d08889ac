package io.stele.flink.table;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.SteleOptions;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The common base of the builders of sources and sinks: it collects connection, table and columns.
 * Confined to one thread.
 *
 * @param <B> the builder itself, which each method returns
 */
public abstract class TableBuilder<B extends TableBuilder<B>> {
    private final Configuration config = new Configuration();
    private List<String> columns = List.of();

    /** For the builders of this module. */
    protected TableBuilder() {}

    /** Sets sidecars as {@code host:port} of {@code stele.client.port}; any one leads to all. */
    public B endpoints(String... endpoints) {
        config.set(SteleOptions.ENDPOINTS, List.of(endpoints));
        return self();
    }

    /** Sets the shared secret of the sidecars. */
    public B secret(String secret) {
        config.set(SteleOptions.SECRET, requireNonNull(secret, "secret is null"));
        return self();
    }

    /** Sets the table. */
    public B table(String schemaName, String tableName) {
        config.set(SteleOptions.SCHEMA_NAME, requireNonNull(schemaName, "schemaName is null"));
        config.set(SteleOptions.TABLE_NAME, requireNonNull(tableName, "tableName is null"));
        return self();
    }

    /**
     * Sets the columns of rows, in order. The default is all columns of the table, in its order.
     */
    public B columns(String... names) {
        columns = List.of(names);
        return self();
    }

    /**
     * Sets any other option, as in a SQL table.
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

    /** All options that were set. */
    protected final ReadableConfig config() {
        return config;
    }

    /**
     * Asks a sidecar for the table; blocks.
     *
     * @throws ValidationException a required option is missing; there is no such table or column;
     *     or no sidecar answers
     */
    protected final BoundTable bind() {
        return BoundTable.declare(
                ConnectionOptions.of(config),
                ConnectionOptions.required(config, SteleOptions.SCHEMA_NAME),
                ConnectionOptions.required(config, SteleOptions.TABLE_NAME),
                columns);
    }
}
