package io.stele.paimon.table;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.store.Lake;
import io.trino.spi.TrinoException;
import java.util.Optional;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;

/**
 * A cache of Paimon's table objects by location, branch and schema, which coordinator and workers
 * open without a request to the metastore. A schema that this node sees first is read from the
 * store with one request. Schemas are immutable, so that a cached table stays valid. Thread-safe.
 */
public final class LakeTables {
    /** A table has its schema, options, path factories and a few caches that stay empty. */
    private static final int MAX_TABLES = 1_000;

    private final Lake lake;
    private final Cache<Key, FileStoreTable> tables =
            Caffeine.newBuilder().maximumSize(MAX_TABLES).build();

    /**
     * @param generation when the schema of the query was made, in epoch milliseconds
     */
    private record Key(String location, String branch, long generation, long id) {}

    @Inject
    public LakeTables(Lake lake) {
        this.lake = requireNonNull(lake, "lake is null");
    }

    /** The table of a handle, with the handle's schema. */
    public FileStoreTable table(PaimonTableHandle handle) {
        return tables.get(
                new Key(
                        handle.location(),
                        handle.branch(),
                        handle.schemaMillis(),
                        handle.schemaId()),
                key -> open(key, load(key)));
    }

    /** Caches a table that the metastore returned, so that its schema is not read again. */
    public void offer(FileStoreTable table, String branch) {
        TableSchema schema = table.schema();
        Key key = new Key(table.location().toString(), branch, schema.timeMillis(), schema.id());
        if (tables.getIfPresent(key) == null) {
            tables.put(key, open(key, schema));
        }
    }

    private FileStoreTable open(Key key, TableSchema schema) {
        Options options = new Options();
        options.set(CoreOptions.BRANCH, key.branch());
        return FileStoreTableFactory.createWithoutFallbackBranch(
                lake.fileIO(),
                new Path(key.location()),
                schema,
                options,
                CatalogEnvironment.empty());
    }

    private TableSchema load(Key key) {
        SchemaManager manager =
                new SchemaManager(lake.fileIO(), new Path(key.location()), key.branch());
        try {
            return Optional.ofNullable(manager.schema(key.id())).orElseThrow();
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read schema %s of the table in %s (branch %s): %s"
                            .formatted(key.id(), key.location(), key.branch(), e.getMessage()),
                    e);
        }
    }
}
