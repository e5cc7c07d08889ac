package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.RowGetExpression;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;

/**
 * The compiler of one SELECT of a catalog query, without set operations, into a {@link SelectPlan}.
 * Confined to the compilation of one statement.
 */
final class PlainSelectCompiler {
    private final QueryContext context;
    private final SelectCompiler selects;
    private final Optional<CatalogQueryScope> outer;
    private final CatalogQueryScope scope;
    private final ExpressionCompiler expressions;
    private final Aggregates aggregates;

    PlainSelectCompiler(
            QueryContext context, SelectCompiler selects, Optional<CatalogQueryScope> outer) {
        this.context = requireNonNull(context, "context is null");
        this.selects = requireNonNull(selects, "selects is null");
        this.outer = requireNonNull(outer, "outer is null");
        this.scope = new CatalogQueryScope(outer);
        this.expressions = new ExpressionCompiler(context, scope, selects);
        this.aggregates = new Aggregates(context);
    }

    /** The compiled parts of the query. */
    private record Parts(
            JoinPlan joins,
            List<CatalogQueryScope.Named> items,
            List<Typed> groupBy,
            boolean isGrouped,
            Optional<Typed> having,
            boolean isDistinct,
            List<Slots.SortKey> order,
            RowOrder.Bounds bounds) {}

    SelectPlan compile(PlainSelect select) {
        FromCompiler from = new FromCompiler(context, scope, outer, selects, expressions);
        List<JoinStep> steps = from.compile(select.getFromItem(), select.getJoins());
        List<JoinStep.Condition> filters =
                select.getWhere() == null ? List.of() : from.conditions(select.getWhere());
        JoinPlan joins = new JoinPlan(context, scope.sources(), steps, filters);
        List<CatalogQueryScope.Named> items = new ArrayList<>();
        for (SelectItem<?> item : select.getSelectItems()) {
            items.addAll(items(item));
        }
        List<Relation.Column> columns =
                items.stream()
                        .map(item -> new Relation.Column(item.name(), item.expression().type()))
                        .toList();
        boolean hasGroupBy = select.getGroupBy() != null;
        List<Typed> groupBy = hasGroupBy ? groupBy(select, items, columns) : List.of();
        Optional<Typed> having = Optional.ofNullable(select.getHaving()).map(expressions::compile);
        if (select.getDistinct() != null && select.getDistinct().getOnSelectItems() != null) {
            throw CatalogValues.invalid("DISTINCT without ON", select.getDistinct());
        }
        RowOrder order = new RowOrder(context, selects, outer);
        List<Slots.SortKey> keys = sortKeys(select, items, columns);
        Parts parts =
                new Parts(
                        joins,
                        items,
                        groupBy,
                        hasGroupBy || having.isPresent() || !scope.slots().aggregates().isEmpty(),
                        having,
                        select.getDistinct() != null,
                        keys,
                        order.bounds(select, expressions));
        return new SelectPlan(columns, scope.usesOuter(), frame -> rows(parts, order, frame));
    }

    private List<CatalogQueryScope.Named> items(SelectItem<?> item) {
        Expression expression = item.getExpression();
        if (expression instanceof AllTableColumns all) {
            return scope.columns(Optional.of(Literals.name(all.getTable().getName())));
        }
        if (expression instanceof AllColumns) {
            return scope.columns(Optional.empty());
        }
        Alias alias = item.getAlias();
        String name = alias == null ? name(expression) : Literals.name(alias.getName());
        return List.of(new CatalogQueryScope.Named(name, expressions.compile(expression)));
    }

    /** The name that PostgreSQL gives to a column without one. */
    private static String name(Expression expression) {
        return switch (expression) {
            case Column column -> Literals.name(column.getColumnName());
            case Function function -> FunctionCompiler.name(function);
            case RowGetExpression field -> Literals.name(field.getColumnName());
            case TrimFunction ignored -> "btrim";
            case CaseExpression ignored -> "case";
            case ExistsExpression ignored -> "exists";
            case CastExpression cast -> {
                String inner = name(cast.getLeftExpression());
                yield inner.equals("?column?")
                        ? TypeNames.find(cast.getColDataType().toString())
                                .map(SystemCatalog.Type::name)
                                .orElse(inner)
                        : inner;
            }
            case ExpressionList<?> list when list.size() == 1 -> name(list.get(0));
            case PlainSelect select when select.getSelectItems().size() == 1 -> {
                SelectItem<?> item = select.getSelectItem(0);
                yield item.getAlias() == null
                        ? name(item.getExpression())
                        : Literals.name(item.getAlias().getName());
            }
            case ParenthesedSelect nested -> name(nested.getSelect());
            case AnalyticExpression analytic -> Literals.name(analytic.getName());
            case TimeKeyExpression time -> Literals.name(time.getStringValue().replace("()", ""));
            case BooleanValue ignored -> "bool";
            case Select ignored -> "?column?";
            default -> "?column?";
        };
    }

    private List<Typed> groupBy(
            PlainSelect select,
            List<CatalogQueryScope.Named> items,
            List<Relation.Column> columns) {
        List<Typed> keys = new ArrayList<>();
        for (Object element : select.getGroupBy().getGroupByExpressionList()) {
            Expression expression = (Expression) element;
            boolean isOfSource =
                    expression instanceof Column column
                            && scope.has(
                                    Optional.ofNullable(column.getTable())
                                            .map(table -> Literals.name(table.getName())),
                                    Literals.name(column.getColumnName()));
            int position = isOfSource ? -1 : RowOrder.position(expression, columns);
            keys.add(
                    position >= 0
                            ? items.get(position).expression()
                            : expressions.compile(expression));
        }
        return keys;
    }

    private List<Slots.SortKey> sortKeys(
            PlainSelect select,
            List<CatalogQueryScope.Named> items,
            List<Relation.Column> columns) {
        List<Slots.SortKey> keys = new ArrayList<>();
        if (select.getOrderByElements() != null) {
            for (OrderByElement element : select.getOrderByElements()) {
                int position = RowOrder.position(element.getExpression(), columns);
                keys.add(
                        FunctionCompiler.sortKey(
                                element,
                                position >= 0
                                        ? items.get(position).expression()
                                        : expressions.compile(element.getExpression())));
            }
        }
        return keys;
    }

    private List<Object[]> rows(Parts parts, RowOrder order, Frame query) {
        Slots slots = scope.slots();
        List<Frame> frames = new ArrayList<>();
        for (Object[][] tuple : parts.joins().rows(query)) {
            frames.add(new Frame(query, tuple, new Object[slots.count()]));
        }
        if (parts.isGrouped()) {
            frames = grouped(parts, frames, query);
        }
        for (Slots.Window window : slots.windows()) {
            aggregates.number(window, frames);
        }
        List<RowOrder.Sortable> rows = new ArrayList<>();
        for (Frame frame : frames) {
            context.step();
            project(parts, frame, rows);
            context.checkRows(rows.size());
        }
        if (parts.isDistinct()) {
            Set<List<Object>> seen = new HashSet<>();
            rows.removeIf(row -> !seen.add(RowOrder.key(row.row())));
        }
        return order.sorted(rows, parts.order(), parts.bounds(), query);
    }

    private List<Frame> grouped(Parts parts, List<Frame> frames, Frame query) {
        List<Frame> groups = new ArrayList<>();
        for (List<Frame> group : aggregates.groups(frames, parts.groupBy())) {
            Object[][] tuple;
            if (group.isEmpty()) {
                tuple = scope.sources().stream().map(Source::emptyRow).toArray(Object[][]::new);
            } else {
                tuple = group.get(0).tuple();
            }
            Frame frame = new Frame(query, tuple, new Object[scope.slots().count()]);
            for (Slots.Aggregate aggregate : scope.slots().aggregates()) {
                frame.slots()[aggregate.slot()] = aggregates.compute(aggregate, group);
            }
            if (parts.having().isEmpty() || CatalogValues.isTrue(parts.having().get().of(frame))) {
                groups.add(frame);
            }
        }
        return groups;
    }

    /** Adds the row of a frame, or as many as its set-returning functions have. */
    private void project(Parts parts, Frame frame, List<RowOrder.Sortable> rows) {
        List<Slots.SetFunction> sets = scope.slots().sets();
        if (sets.isEmpty()) {
            rows.add(row(parts, frame));
            return;
        }
        List<List<Object>> elements = new ArrayList<>();
        int longest = 0;
        for (Slots.SetFunction set : sets) {
            List<Object> values = Operators.elements(set.elements().of(frame)).values();
            elements.add(values);
            longest = Math.max(longest, values.size());
        }
        for (int index = 0; index < longest; index++) {
            context.step();
            for (int set = 0; set < sets.size(); set++) {
                List<Object> values = elements.get(set);
                frame.slots()[sets.get(set).slot()] =
                        index < values.size() ? values.get(index) : CatalogValues.NULL;
            }
            rows.add(row(parts, frame));
        }
    }

    private RowOrder.Sortable row(Parts parts, Frame frame) {
        Object[] row = new Object[parts.items().size()];
        for (int index = 0; index < row.length; index++) {
            row[index] = parts.items().get(index).expression().of(frame);
        }
        return RowOrder.sortable(row, parts.order(), frame);
    }
}
