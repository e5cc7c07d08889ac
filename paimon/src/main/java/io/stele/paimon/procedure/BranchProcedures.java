package io.stele.paimon.procedure;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.SchemaTableName;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * The procedures {@code create_branch}, {@code delete_branch} and {@code fast_forward}, which
 * change a table's branches through Paimon's library on the coordinator. Thread-safe.
 */
public final class BranchProcedures {
    private final ProcedureCalls calls;

    BranchProcedures(ProcedureCalls calls) {
        this.calls = requireNonNull(calls, "calls is null");
    }

    /** Creates a branch at a tag; without a tag, the branch has the table's schema alone. */
    public void create(String schema, String table, @Nullable String branch, @Nullable String tag) {
        calls.run(
                "create_branch",
                schema,
                table,
                (name, found) -> {
                    String newBranch = ProcedureCalls.name("branch", branch);
                    if (found.branchManager().branchExists(newBranch)) {
                        throw ProcedureCalls.bad(
                                "Expected a branch that %s does not have, found '%s'",
                                name, newBranch);
                    }
                    if (tag == null) {
                        found.createBranch(newBranch);
                    } else {
                        SnapshotProcedures.checkTag(name, found, tag);
                        found.createBranch(newBranch, tag);
                    }
                    calls.changed(name, found);
                });
    }

    /** Deletes a branch. */
    public void delete(String schema, String table, @Nullable String branch) {
        calls.run(
                "delete_branch",
                schema,
                table,
                (name, found) -> {
                    found.deleteBranch(existing(name, found, branch));
                    calls.changed(name, found);
                });
    }

    /** Replaces the table's state with that of the branch. */
    public void fastForward(String schema, String table, @Nullable String branch) {
        calls.run(
                "fast_forward",
                schema,
                table,
                (name, found) -> {
                    found.fastForward(existing(name, found, branch));
                    calls.changed(name, found);
                });
    }

    private static String existing(
            SchemaTableName name, FileStoreTable table, @Nullable String branch) {
        String checked = ProcedureCalls.name("branch", branch);
        if (!table.branchManager().branchExists(checked)) {
            throw ProcedureCalls.bad("Expected a branch of %s, found '%s'", name, checked);
        }
        return checked;
    }
}
