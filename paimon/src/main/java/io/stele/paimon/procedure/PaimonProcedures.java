package io.stele.paimon.procedure;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.paimon.metadata.PaimonTransactions;
import io.stele.paimon.write.TableCompaction;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The definitions of the catalog's {@code CALL system.*} procedures for Trino, with their arguments
 * and the methods that run them. Thread-safe.
 */
public final class PaimonProcedures {
    private static final String SCHEMA = "system";

    private final Set<Procedure> all;

    @Inject
    public PaimonProcedures(PaimonTransactions transactions, TableCompaction compaction) {
        ProcedureCalls calls = new ProcedureCalls(transactions.writable());
        TagProcedures tags = new TagProcedures(calls);
        BranchProcedures branches = new BranchProcedures(calls);
        SnapshotProcedures snapshots = new SnapshotProcedures(calls);
        FileProcedures files = new FileProcedures(calls, compaction);
        Argument tag = new Argument("TAG_NAME", VARCHAR);
        Argument anyTag = new Argument("TAG_NAME", VARCHAR, false, null);
        Argument anySnapshot = new Argument("SNAPSHOT_ID", BIGINT, false, null);
        Argument branch = new Argument("BRANCH_NAME", VARCHAR);
        Argument age = new Argument("RETENTION_THRESHOLD", VARCHAR, false, null);
        all =
                Set.of(
                        procedure("compact", files, "compact"),
                        procedure("remove_orphan_files", files, "removeOrphans", age),
                        procedure("create_tag", tags, "create", tag, anySnapshot),
                        procedure("delete_tag", tags, "delete", tag),
                        procedure("create_branch", branches, "create", branch, anyTag),
                        procedure("delete_branch", branches, "delete", branch),
                        procedure("fast_forward", branches, "fastForward", branch),
                        procedure("rollback_to", snapshots, "rollback", anySnapshot, anyTag),
                        procedure(
                                "expire_snapshots",
                                snapshots,
                                "expire",
                                new Argument("RETAIN_MAX", BIGINT, false, null),
                                new Argument("RETAIN_MIN", BIGINT, false, null),
                                age));
    }

    /** A definition, whose first arguments are the names of a schema and a table. */
    private static Procedure procedure(
            String name, Object target, String method, Argument... arguments) {
        List<Argument> all =
                ImmutableList.<Argument>builder()
                        .add(new Argument("SCHEMA_NAME", VARCHAR))
                        .add(new Argument("TABLE_NAME", VARCHAR))
                        .add(arguments)
                        .build();
        Method found =
                Arrays.stream(target.getClass().getMethods())
                        .filter(other -> other.getName().equals(method))
                        .findFirst()
                        .orElseThrow();
        try {
            return new Procedure(SCHEMA, name, all, lookup().unreflect(found).bindTo(target));
        } catch (IllegalAccessException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** All definitions. */
    public Set<Procedure> all() {
        return all;
    }
}
