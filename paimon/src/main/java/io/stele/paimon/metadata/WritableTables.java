package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.LatestSnapshots;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.security.AccessDeniedException;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.privilege.NoPrivilegeException;
import org.apache.paimon.privilege.PrivilegedFileStoreTable;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

/**
 * The lookup of current tables, with write access checked, for statements and procedures that
 * change them; it drops this node's leases of changed tables. Thread-safe; waits for the metastore.
 */
public final class WritableTables {
    private final TableNames names;
    private final TableLeases leases;
    private final LatestSnapshots snapshots;
    private final boolean writesEnabled;

    WritableTables(
            TableNames names,
            TableLeases leases,
            LatestSnapshots snapshots,
            boolean writesEnabled) {
        this.names = requireNonNull(names, "names is null");
        this.leases = requireNonNull(leases, "leases is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.writesEnabled = writesEnabled;
    }

    /** Throws if the configuration forbids changes of the lake. */
    public void checkEnabled() {
        if (!writesEnabled) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected stele.paimon.writes-enabled for a statement that changes the lake,"
                            + " found it to be false");
        }
    }

    /** The current state of a table, loaded from the metastore. */
    public FileStoreTable find(SchemaTableName name) {
        checkEnabled();
        if (SystemTables.isSystemTable(name)) {
            throw new TrinoException(
                    NOT_SUPPORTED, "Expected a table, found the system table " + name);
        }
        Table found = names.find(name).orElseThrow(() -> new TableNotFoundException(name));
        if (found instanceof PrivilegedFileStoreTable guarded) {
            checkMayWrite(name, guarded);
        }
        return PaimonMetadata.fileStoreTable(name, found);
    }

    private static void checkMayWrite(SchemaTableName name, PrivilegedFileStoreTable table) {
        try {
            table.tagManager();
        } catch (NoPrivilegeException e) {
            throw new AccessDeniedException(
                    "Cannot write to %s: %s".formatted(name, e.getMessage()));
        }
    }

    /** The table of a statement, with the schema that the statement began with. */
    FileStoreTable find(PaimonTableHandle handle) {
        FileStoreTable table = find(handle.name());
        boolean isSame =
                table.location().toString().equals(handle.location())
                        && table.coreOptions().branch().equals(handle.branch());
        Optional<TableSchema> schema = Optional.empty();
        if (isSame) {
            schema =
                    table.schema().id() == handle.schemaId()
                            ? Optional.of(table.schema())
                            : table.schemaManager().listAll().stream()
                                    .filter(other -> other.id() == handle.schemaId())
                                    .findFirst();
        }
        TableSchema found =
                schema.filter(same -> same.timeMillis() == handle.schemaMillis())
                        .orElseThrow(
                                () ->
                                        new TrinoException(
                                                TRANSACTION_CONFLICT,
                                                "Expected table %s as the statement found it, found another of the same name"
                                                        .formatted(handle.name())));
        return found.id() == table.schema().id() ? table : table.copy(found);
    }

    /** Notes the snapshot of a commit, which later queries of this node see. */
    public void committed(FileStoreTable table, OptionalLong snapshotId) {
        snapshotId.ifPresent(id -> snapshots.committed(table));
    }

    /** Drops the leases of a table whose definition or set of snapshots has changed. */
    public void changed(SchemaTableName name, FileStoreTable table) {
        leases.forget(name);
        snapshots.forget(table);
    }

    /** Drops the leases of a table whose schema has changed; the leases of its snapshots stay. */
    void changed(SchemaTableName name) {
        leases.forget(name);
    }

    void schemaChanged(String schema) {
        leases.forgetSchema(schema);
    }
}
