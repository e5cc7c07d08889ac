package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.UnionOp;
import net.sf.jsqlparser.statement.select.WithItem;

/**
 * The compiler of catalog queries, with WITH, VALUES and set operations, into a {@link SelectPlan}.
 * Confined to one statement.
 */
final class SelectCompiler {
    /** No client nests queries deeper, and deeper ones would overflow the stack. */
    private static final int MAX_DEPTH = 32;

    private final QueryContext context;
    private int depth;

    SelectCompiler(QueryContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    /**
     * @param outer the scope of the query around it
     */
    SelectPlan compile(Select select, Optional<CatalogQueryScope> outer) {
        if (++depth > MAX_DEPTH) {
            throw CatalogValues.invalid(
                    "at most " + MAX_DEPTH + " queries inside each other", "more");
        }
        SelectPlan plan =
                select.getWithItemsList() == null || select.getWithItemsList().isEmpty()
                        ? body(select, outer)
                        : with(select, outer);
        depth--;
        return plan;
    }

    private SelectPlan body(Select select, Optional<CatalogQueryScope> outer) {
        return switch (select) {
            case PlainSelect plain -> new PlainSelectCompiler(context, this, outer).compile(plain);
            case SetOperationList list -> setOperation(list, outer);
            case ParenthesedSelect nested ->
                    limited(nested, compile(nested.getSelect(), outer), outer);
            case net.sf.jsqlparser.statement.select.Values values -> values(values, outer);
            default -> throw CatalogValues.invalid("SELECT or VALUES", select);
        };
    }

    private SelectPlan limited(Select select, SelectPlan plan, Optional<CatalogQueryScope> outer) {
        boolean isPlain =
                select.getOrderByElements() == null
                        && select.getLimit() == null
                        && select.getOffset() == null
                        && select.getFetch() == null;
        return isPlain ? plan : new RowOrder(context, this, outer).apply(select, plan);
    }

    /** The rows of a query of WITH, while the query below it runs. */
    private static final class CommonRows {
        private List<Object[]> rows = List.of();
    }

    private interface Step {
        void run(Frame frame);
    }

    private SelectPlan with(Select select, Optional<CatalogQueryScope> outer) {
        CatalogQueryScope scope = new CatalogQueryScope(outer);
        List<Step> steps = new ArrayList<>();
        for (WithItem<?> item : select.getWithItemsList()) {
            Select query = item.getSelect().getSelect();
            String name = Literals.name(item.getAlias().getName());
            CommonRows common = new CommonRows();
            steps.add(
                    item.isRecursive() && query instanceof SetOperationList union
                            ? recursive(union, item, name, scope, common)
                            : plain(query, item, name, scope, common));
        }
        SelectPlan body = body(select, Optional.of(scope));
        return new SelectPlan(
                body.columns(),
                scope.usesOuter(),
                outerFrame -> {
                    Frame frame = new Frame(outerFrame, new Object[0][], new Object[0]);
                    steps.forEach(step -> step.run(frame));
                    return body.rows(frame);
                });
    }

    private Step plain(
            Select query,
            WithItem<?> item,
            String name,
            CatalogQueryScope scope,
            CommonRows common) {
        SelectPlan plan = compile(query, Optional.of(scope));
        boolean isVolatile = plan.isVolatile() || scope.usesOuter();
        scope.add(
                name,
                new CatalogQueryScope.CommonTable(
                        renamed(plan.columns(), item), isVolatile, frame -> common.rows));
        return frame -> common.rows = plan.rows(frame);
    }

    private Step recursive(
            SetOperationList union,
            WithItem<?> item,
            String name,
            CatalogQueryScope scope,
            CommonRows common) {
        if (union.getSelects().size() != 2 || !(union.getOperation(0) instanceof UnionOp)) {
            return plain(union, item, name, scope, common);
        }
        SelectPlan first = compile(union.getSelect(0), Optional.of(scope));
        scope.add(
                name,
                new CatalogQueryScope.CommonTable(
                        renamed(first.columns(), item), true, frame -> common.rows));
        SelectPlan next = compile(union.getSelect(1), Optional.of(scope));
        boolean isAll = ((UnionOp) union.getOperation(0)).isAll();
        return frame -> {
            Set<List<Object>> seen = new HashSet<>();
            List<Object[]> all = new ArrayList<>();
            List<Object[]> latest = first.rows(frame);
            while (!latest.isEmpty()) {
                List<Object[]> added = new ArrayList<>();
                for (Object[] row : latest) {
                    context.step();
                    if (isAll || seen.add(RowOrder.key(row))) {
                        added.add(row);
                    }
                }
                all.addAll(added);
                context.checkRows(all.size());
                common.rows = added;
                latest = added.isEmpty() ? added : next.rows(frame);
            }
            common.rows = all;
        };
    }

    private static List<Relation.Column> renamed(List<Relation.Column> columns, WithItem<?> item) {
        List<Relation.Column> renamed = new ArrayList<>(columns);
        if (item.getWithItemList() != null) {
            for (int index = 0;
                    index < item.getWithItemList().size() && index < renamed.size();
                    index++) {
                renamed.set(
                        index,
                        new Relation.Column(
                                Literals.name(
                                        item.getWithItemList()
                                                .get(index)
                                                .getExpression()
                                                .toString()),
                                renamed.get(index).type()));
            }
        }
        return renamed;
    }

    private SelectPlan setOperation(SetOperationList list, Optional<CatalogQueryScope> outer) {
        List<SelectPlan> plans = new ArrayList<>();
        for (Select select : list.getSelects()) {
            plans.add(compile(select, outer));
        }
        List<Relation.Column> columns = new ArrayList<>();
        for (int index = 0; index < plans.get(0).columns().size(); index++) {
            int position = index;
            List<Typed> types = new ArrayList<>();
            for (SelectPlan plan : plans) {
                if (plan.columns().size() != plans.get(0).columns().size()) {
                    throw CatalogValues.invalid(
                            plans.get(0).columns().size() + " columns", plan.columns().size());
                }
                types.add(new Typed(plan.columns().get(position).type(), frame -> position));
            }
            columns.add(
                    new Relation.Column(
                            plans.get(0).columns().get(index).name(),
                            FunctionCompiler.common(types)));
        }
        SelectPlan plan =
                new SelectPlan(
                        columns,
                        plans.stream().anyMatch(SelectPlan::isVolatile),
                        frame -> combined(list, plans, frame));
        return limited(list, plan, outer);
    }

    private List<Object[]> combined(SetOperationList list, List<SelectPlan> plans, Frame frame) {
        List<Object[]> rows = new ArrayList<>(plans.get(0).rows(frame));
        for (int index = 1; index < plans.size(); index++) {
            List<Object[]> right = plans.get(index).rows(frame);
            String operation = list.getOperation(index - 1).toString();
            if (operation.startsWith("UNION")) {
                rows.addAll(right);
            } else {
                Set<List<Object>> keys = new HashSet<>();
                right.forEach(row -> keys.add(RowOrder.key(row)));
                boolean isIntersection = operation.startsWith("INTERSECT");
                rows.removeIf(row -> keys.contains(RowOrder.key(row)) != isIntersection);
            }
            context.checkRows(rows.size());
            if (!operation.endsWith("ALL")) {
                rows = RowOrder.distinct(rows);
            }
        }
        return rows;
    }

    private SelectPlan values(
            net.sf.jsqlparser.statement.select.Values values, Optional<CatalogQueryScope> outer) {
        CatalogQueryScope scope = new CatalogQueryScope(outer);
        ExpressionCompiler expressions = new ExpressionCompiler(context, scope, this);
        List<List<Typed>> rows = new ArrayList<>();
        boolean hasRows =
                values.getExpressions().stream().allMatch(each -> each instanceof ExpressionList);
        if (hasRows) {
            for (Expression row : values.getExpressions()) {
                rows.add(expressions.compileAll((ExpressionList<?>) row));
            }
        } else {
            rows.add(expressions.compileAll(values.getExpressions()));
        }
        List<Relation.Column> columns = new ArrayList<>();
        for (int index = 0; index < rows.get(0).size(); index++) {
            int position = index;
            List<Typed> column = rows.stream().map(row -> row.get(position)).toList();
            columns.add(
                    new Relation.Column("column" + (index + 1), FunctionCompiler.common(column)));
        }
        return new SelectPlan(
                columns,
                scope.usesOuter(),
                outerFrame -> {
                    Frame frame = new Frame(outerFrame, new Object[0][], new Object[0]);
                    return rows.stream()
                            .map(row -> row.stream().map(value -> value.of(frame)).toArray())
                            .toList();
                });
    }
}
