package io.stele.sidecar.postgresql.plan;

import com.google.common.collect.Sets;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.sql.Statement.Assignment;
import io.stele.sidecar.postgresql.sql.Statement.Output;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The privileges that a statement needs on its table, as in PostgreSQL. A statement that changes
 * rows and uses values of existing rows, in a condition, an assignment or RETURNING, also reads
 * them.
 */
final class RequiredPrivileges {
    private RequiredPrivileges() {}

    static Set<Privilege> of(Statement statement) {
        Set<Privilege> required = EnumSet.noneOf(Privilege.class);
        boolean reads =
                switch (statement) {
                    case Statement.Select ignored -> true;
                    case Statement.Insert insert -> {
                        required.add(Privilege.INSERT);
                        boolean readsInConflict = false;
                        if (insert.onConflict() instanceof Statement.DoUpdate update) {
                            required.add(Privilege.UPDATE);
                            readsInConflict = reads(update.assignments()) || reads(update.where());
                        }
                        yield readsInConflict || outputsRead(insert.returning());
                    }
                    case Statement.Update update -> {
                        required.add(Privilege.UPDATE);
                        yield reads(update.assignments())
                                || reads(update.where())
                                || outputsRead(update.returning());
                    }
                    case Statement.Delete delete -> {
                        required.add(Privilege.DELETE);
                        yield reads(delete.where()) || outputsRead(delete.returning());
                    }
                };
        if (reads) {
            required.add(Privilege.SELECT);
        }
        return Sets.immutableEnumSet(required);
    }

    private static boolean reads(List<Assignment> assignments) {
        return assignments.stream().anyMatch(assignment -> reads(assignment.value()));
    }

    private static boolean reads(Optional<Expression> condition) {
        return condition.filter(RequiredPrivileges::reads).isPresent();
    }

    private static boolean outputsRead(List<Output> outputs) {
        return outputs.stream()
                .anyMatch(
                        output ->
                                switch (output) {
                                    case Statement.Star ignored -> true;
                                    case Statement.Named named -> reads(named.value());
                                });
    }

    /** Whether an expression uses a column of an existing row. */
    private static boolean reads(Expression expression) {
        return switch (expression) {
            case Expression.Column ignored -> true;
            case Expression.Literal ignored -> false;
            case Expression.Parameter ignored -> false;
            case Expression.Excluded ignored -> false; // of the new row
            case Expression.Default ignored -> false;
            case Expression.Cast cast -> reads(cast.value());
            case Expression.Arithmetic both -> reads(both.left()) || reads(both.right());
            case Expression.Negated negated -> reads(negated.value());
            case Expression.Concatenated both -> reads(both.left()) || reads(both.right());
            case Expression.Comparison both -> reads(both.left()) || reads(both.right());
            case Expression.And and -> anyReads(and.all().stream());
            case Expression.Or or -> anyReads(or.any().stream());
            case Expression.Not not -> reads(not.value());
            case Expression.IsNull isNull -> reads(isNull.value());
            case Expression.In in -> reads(in.value()) || anyReads(in.list().stream());
            case Expression.EqualsAny any -> reads(any.value()) || reads(any.array());
            case Expression.Like like -> reads(like.value()) || reads(like.pattern());
            case Expression.Tuple tuple -> anyReads(tuple.values().stream());
            case Expression.Case choice ->
                    choice.whens().stream()
                                    .anyMatch(
                                            when -> reads(when.condition()) || reads(when.value()))
                            || anyReads(choice.otherwise().stream());
            case Expression.Call call -> anyReads(call.arguments().stream());
            case Expression.Aggregate aggregate -> anyReads(aggregate.argument().stream());
        };
    }

    private static boolean anyReads(Stream<Expression> expressions) {
        return expressions.anyMatch(RequiredPrivileges::reads);
    }
}
