package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeNames;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import io.stele.sidecar.postgresql.sql.BooleanChains;
import io.stele.sidecar.postgresql.sql.LatestPattern;
import io.stele.sidecar.postgresql.sql.LikePattern;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.AnyComparisonExpression;
import net.sf.jsqlparser.expression.AnyType;
import net.sf.jsqlparser.expression.ArrayConstructor;
import net.sf.jsqlparser.expression.ArrayExpression;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.CollateExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.JsonFunction;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.RowGetExpression;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TranscodingFunction;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsBooleanExpression;
import net.sf.jsqlparser.expression.operators.relational.IsDistinctExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.RegExpMatchOperator;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.Select;

/**
 * The compiler of a catalog query's expressions, from the parser's tree into {@link Typed}
 * evaluations. Confined to the compilation of one statement.
 */
final class ExpressionCompiler {
    private static final int MAX_DIGITS = 18; // of integers of 64 bits

    private final QueryContext context;
    private final Casts casts;
    private final CatalogQueryScope scope;
    private final SelectCompiler selects;
    private final FunctionCompiler functions;

    ExpressionCompiler(QueryContext context, CatalogQueryScope scope, SelectCompiler selects) {
        this.context = requireNonNull(context, "context is null");
        this.scope = requireNonNull(scope, "scope is null");
        this.selects = requireNonNull(selects, "selects is null");
        this.casts = new Casts(context);
        this.functions = new FunctionCompiler(context, scope, casts);
    }

    Typed compile(Expression expression) {
        Expression mended = BooleanChains.mended(expression);
        return mended == expression ? compileMended(expression) : compile(mended);
    }

    private Typed compileMended(Expression expression) {
        return switch (expression) {
            case NullValue ignored -> Typed.constant(Typed.UNKNOWN, CatalogValues.NULL);
            case BooleanValue value -> Typed.constant(TypeOids.BOOL, value.getValue());
            case LongValue value -> integer(value);
            case DoubleValue value ->
                    Typed.constant(TypeOids.NUMERIC, CatalogValues.decimal(value.toString()));
            case StringValue value -> Typed.constant(Typed.UNKNOWN, Literals.text(value));
            case JdbcParameter parameter -> parameter(parameter);
            case Column column -> column(column);
            case TimeKeyExpression time ->
                    functions.scalar(
                            time.getStringValue().replace("()", "").toLowerCase(Locale.ROOT),
                            List.of());
            case Select select -> subquery(select);
            case SignedExpression signed -> signed(signed);
            case NotExpression not ->
                    map(TypeOids.BOOL, compile(not.getExpression()), Operators::not);
            case CollateExpression collate -> compile(collate.getLeftExpression());
            case CastExpression cast ->
                    cast(compile(cast.getLeftExpression()), cast.getColDataType().toString());
            case TranscodingFunction transcoding -> compile(transcoding.getExpression());
            case CaseExpression switched -> switched(switched);
            case ExistsExpression exists -> exists(exists);
            case InExpression in -> in(in);
            case Between between -> between(between);
            case IsNullExpression isNull -> {
                Typed value = compile(isNull.getLeftExpression());
                boolean isNot = isNull.isNot();
                yield new Typed(
                        TypeOids.BOOL, frame -> (value.of(frame) == CatalogValues.NULL) != isNot);
            }
            case IsBooleanExpression isBoolean -> {
                Typed value = compile(isBoolean.getLeftExpression());
                yield new Typed(
                        TypeOids.BOOL,
                        frame ->
                                (value.of(frame) != CatalogValues.NULL
                                                && CatalogValues.bool(value.of(frame))
                                                        == isBoolean.isTrue())
                                        != isBoolean.isNot());
            }
            case ArrayConstructor array -> functions.array(compileAll(array.getExpressions()));
            case ArrayExpression subscript ->
                    subscript(
                            compile(subscript.getObjExpression()),
                            compile(subscript.getIndexExpression()));
            case RowGetExpression field -> field(field);
            case TrimFunction trim -> trim(trim);
            case AnalyticExpression analytic -> functions.analytic(analytic, this);
            case JsonFunction json -> functions.json(json.toString());
            case Function function -> functions.compile(function, this);
            case BinaryExpression binary -> binary(binary);
            case ExpressionList<?> list ->
                    list.size() == 1 ? compile(list.get(0)) : functions.row(compileAll(list));
            default ->
                    throw CatalogValues.invalid(
                            "an expression that the catalog understands", expression.toString());
        };
    }

    /** A query inside of an expression. */
    SelectPlan plan(Select select) {
        return selects.compile(select, Optional.of(scope));
    }

    List<Typed> compileAll(ExpressionList<?> expressions) {
        List<Typed> compiled = new ArrayList<>();
        if (expressions != null) {
            expressions.forEach(expression -> compiled.add(compile(expression)));
        }
        return compiled;
    }

    private static Typed map(int type, Typed value, UnaryOperator<Object> map) {
        return new Typed(type, frame -> map.apply(value.of(frame)));
    }

    private static Typed integer(LongValue value) {
        BigDecimal decimal = CatalogValues.decimal(value.getStringValue());
        if (decimal.precision() > MAX_DIGITS) {
            return Typed.constant(TypeOids.NUMERIC, decimal);
        }
        long exact = decimal.longValue();
        return Typed.constant(exact == (int) exact ? TypeOids.INT4 : TypeOids.INT8, exact);
    }

    private Typed parameter(JdbcParameter parameter) {
        int number = parameter.getIndex();
        int type = context.parameterType(number);
        return new Typed(
                type == 0 ? Typed.UNKNOWN : type,
                frame -> {
                    int known = context.parameterType(number);
                    return casts.cast(context.parameter(number), Typed.UNKNOWN, known);
                },
                number);
    }

    private Typed column(Column column) {
        String name = Literals.name(column.getColumnName());
        Optional<String> table =
                Optional.ofNullable(column.getTable()).map(found -> Literals.name(found.getName()));
        Optional<String> schema =
                Optional.ofNullable(column.getTable())
                        .map(found -> found.getSchemaName())
                        .map(Literals::name);
        boolean isFunction = table.isEmpty() && !scope.has(table, name);
        Typed found =
                isFunction && FunctionCompiler.isKeyword(name)
                        ? functions.scalar(name, List.of())
                        : scope.column(schema, table, name);
        return column.getArrayConstructor() == null
                ? found
                : subscript(found, compile(column.getArrayConstructor().getExpressions().get(0)));
    }

    private Typed subquery(Select select) {
        SelectPlan plan = selects.compile(select, Optional.of(scope));
        int type = plan.columns().get(0).type();
        return new Typed(type, frame -> plan.single(frame));
    }

    private Typed signed(SignedExpression signed) {
        Typed value = compile(signed.getExpression());
        return signed.getSign() == '-'
                ? map(value.type(), value, number -> Operators.arithmetic("-", 0L, number))
                : value;
    }

    private Typed cast(Typed value, String typeName) {
        SystemCatalog.Type type =
                TypeNames.find(typeName)
                        .or(() -> TypeNames.find(typeName.replace(" ", "")))
                        .orElseThrow(() -> CatalogValues.invalid("a type", typeName));
        context.infer(value, TypeOids.isReference(type.oid()) ? TypeOids.TEXT : type.oid());
        int length = Literals.length(typeName);
        int from = value.type();
        boolean isLimited =
                length > 0 && (type.oid() == TypeOids.VARCHAR || type.oid() == TypeOids.BPCHAR);
        return new Typed(
                type.oid(),
                frame -> {
                    Object result = casts.cast(value.of(frame), from, type.oid());
                    return isLimited && result instanceof String text && text.length() > length
                            ? text.substring(0, length)
                            : result;
                });
    }

    private Typed switched(CaseExpression expression) {
        Optional<Typed> switched =
                Optional.ofNullable(expression.getSwitchExpression()).map(this::compile);
        List<Typed> conditions = new ArrayList<>();
        List<Typed> results = new ArrayList<>();
        for (var when : expression.getWhenClauses()) {
            Typed condition = compile(when.getWhenExpression());
            conditions.add(
                    switched.map(value -> comparison("=", value, condition)).orElse(condition));
            results.add(compile(when.getThenExpression()));
        }
        results.add(
                expression.getElseExpression() == null
                        ? Typed.constant(Typed.UNKNOWN, CatalogValues.NULL)
                        : compile(expression.getElseExpression()));
        return new Typed(
                FunctionCompiler.common(results),
                frame -> {
                    for (int index = 0; index < conditions.size(); index++) {
                        Object condition = conditions.get(index).of(frame);
                        if (condition != CatalogValues.NULL && CatalogValues.bool(condition)) {
                            return results.get(index).of(frame);
                        }
                    }
                    return results.get(conditions.size()).of(frame);
                });
    }

    private Typed exists(ExistsExpression exists) {
        SelectPlan plan =
                selects.compile(Literals.select(exists.getRightExpression()), Optional.of(scope));
        return new Typed(TypeOids.BOOL, frame -> plan.rows(frame).isEmpty() == exists.isNot());
    }

    private Typed in(InExpression in) {
        Typed left = compile(in.getLeftExpression());
        Typed found;
        if (in.getRightExpression() instanceof Select select) {
            SelectPlan plan = selects.compile(select, Optional.of(scope));
            context.infer(left, plan.columns().get(0).type());
            found =
                    new Typed(
                            TypeOids.BOOL,
                            frame ->
                                    Operators.quantified(
                                            "=", left.of(frame), plan.first(frame), false));
        } else {
            List<Typed> items =
                    in.getRightExpression() instanceof ExpressionList<?> list
                            ? compileAll(list)
                            : List.of(compile(in.getRightExpression()));
            List<Typed> comparisons =
                    items.stream().map(item -> comparison("=", left, item)).toList();
            found =
                    new Typed(
                            TypeOids.BOOL,
                            frame -> {
                                Object result = false;
                                for (Typed comparison : comparisons) {
                                    result = Operators.or(result, comparison.of(frame));
                                    if (CatalogValues.isTrue(result)) {
                                        return true;
                                    }
                                }
                                return result;
                            });
        }
        return in.isNot() ? map(TypeOids.BOOL, found, Operators::not) : found;
    }

    private Typed between(Between between) {
        Typed value = compile(between.getLeftExpression());
        Typed low = comparison(">=", value, compile(between.getBetweenExpressionStart()));
        Typed high = comparison("<=", value, compile(between.getBetweenExpressionEnd()));
        Typed.Evaluation both = frame -> Operators.and(low.of(frame), high.of(frame));
        return new Typed(
                TypeOids.BOOL, between.isNot() ? frame -> Operators.not(both.of(frame)) : both);
    }

    /** A comparison of two values, of which one gives the other its type. */
    Typed comparison(String operator, Typed left, Typed right) {
        context.infer(left, right.type());
        context.infer(right, left.type());
        Typed a = referenceLike(left, right.type());
        Typed b = referenceLike(right, left.type());
        return new Typed(
                TypeOids.BOOL, frame -> Operators.compare(operator, a.of(frame), b.of(frame)));
    }

    private Typed referenceLike(Typed value, int type) {
        return value.type() == Typed.UNKNOWN && TypeOids.isReference(type)
                ? new Typed(type, frame -> casts.cast(value.of(frame), Typed.UNKNOWN, type))
                : value;
    }

    private static Typed subscript(Typed array, Typed index) {
        int element = SystemCatalog.INSTANCE.elementOf(array.type());
        return new Typed(
                element == 0 ? TypeOids.TEXT : element,
                frame -> {
                    Object value = array.of(frame);
                    Object position = index.of(frame);
                    return value == CatalogValues.NULL || position == CatalogValues.NULL
                            ? CatalogValues.NULL
                            : Operators.elements(value).at(CatalogValues.integer(position));
                });
    }

    private Typed field(RowGetExpression expression) {
        Typed row = compile(expression.getExpression());
        String name = Literals.name(expression.getColumnName());
        return new Typed(
                TypeOids.INT4,
                frame ->
                        row.of(frame) instanceof CatalogValues.Fields fields
                                ? fields.field(name)
                                : CatalogValues.NULL);
    }

    private Typed trim(TrimFunction trim) {
        boolean isFrom = trim.getFromExpression() != null;
        Typed text = compile(isFrom ? trim.getFromExpression() : trim.getExpression());
        Typed characters =
                isFrom && trim.getExpression() != null
                        ? compile(trim.getExpression())
                        : Typed.constant(TypeOids.TEXT, " ");
        String name =
                switch (String.valueOf(trim.getTrimSpecification())) {
                    case "LEADING" -> "ltrim";
                    case "TRAILING" -> "rtrim";
                    default -> "btrim";
                };
        return functions.scalar(name, List.of(text, characters));
    }

    private Typed binary(BinaryExpression binary) {
        if (binary instanceof ComparisonOperator comparison) {
            return compared(comparison);
        }
        Typed left = compile(binary.getLeftExpression());
        if (binary instanceof AndExpression) {
            Typed right = compile(binary.getRightExpression());
            return new Typed(
                    TypeOids.BOOL,
                    frame -> {
                        Object first = left.of(frame);
                        return Boolean.FALSE.equals(first)
                                ? false
                                : Operators.and(first, right.of(frame));
                    });
        }
        Typed right = compile(binary.getRightExpression());
        return switch (binary) {
            case OrExpression ignored ->
                    new Typed(
                            TypeOids.BOOL,
                            frame -> {
                                Object first = left.of(frame);
                                return CatalogValues.isTrue(first)
                                        ? true
                                        : Operators.or(first, right.of(frame));
                            });
            case LikeExpression like -> like(like, left, right);
            case RegExpMatchOperator regex -> regex(regex.getStringExpression(), left, right);
            case IsDistinctExpression distinct -> {
                boolean isNot = distinct.getStringExpression().contains("NOT");
                yield new Typed(
                        TypeOids.BOOL,
                        frame -> isDistinct(left.of(frame), right.of(frame)) != isNot);
            }
            default -> functions.operator(binary.getStringExpression(), left, right);
        };
    }

    private static boolean isDistinct(Object left, Object right) {
        return left == CatalogValues.NULL || right == CatalogValues.NULL
                ? left != right
                : CatalogValues.compare(left, right) != 0;
    }

    private Typed compared(ComparisonOperator comparison) {
        String operator = comparison.getStringExpression();
        Typed left = compile(comparison.getLeftExpression());
        if (comparison.getRightExpression() instanceof AnyComparisonExpression any) {
            SelectPlan plan = selects.compile(any.getSelect(), Optional.of(scope));
            boolean isAll = any.getAnyType() == AnyType.ALL;
            return new Typed(
                    TypeOids.BOOL,
                    frame ->
                            Operators.quantified(
                                    operator, left.of(frame), plan.first(frame), isAll));
        }
        if (comparison.getRightExpression() instanceof Function function
                && Literals.isQuantifier(function)) {
            Typed array = compile(function.getParameters().get(0));
            boolean isAll = function.getName().equalsIgnoreCase("all");
            context.infer(array, SystemCatalog.INSTANCE.arrayOf(left.type()));
            context.infer(left, SystemCatalog.INSTANCE.elementOf(array.type()));
            return new Typed(
                    TypeOids.BOOL,
                    frame ->
                            Operators.quantified(operator, left.of(frame), array.of(frame), isAll));
        }
        return comparison(operator, left, compile(comparison.getRightExpression()));
    }

    private Typed like(LikeExpression like, Typed left, Typed right) {
        LikeExpression.KeyWord word = like.getLikeKeyWord();
        if (word != LikeExpression.KeyWord.LIKE && word != LikeExpression.KeyWord.ILIKE) {
            throw CatalogValues.invalid("LIKE or ILIKE", word);
        }
        boolean ignoresCase = word == LikeExpression.KeyWord.ILIKE;
        Typed escape =
                like.getEscape() == null
                        ? new Typed(TypeOids.TEXT, _ -> LikePattern.DEFAULT_ESCAPE)
                        : compile(like.getEscape());
        context.infer(escape, TypeOids.TEXT);
        context.infer(right, TypeOids.TEXT);
        return new Typed(
                TypeOids.BOOL,
                new PatternMatch<>(
                        left,
                        right,
                        escape,
                        (pattern, escaping) -> LikePattern.of(pattern, escaping, ignoresCase),
                        (value, pattern) ->
                                pattern.matches(casts.text(value, left.type()), context::step)
                                        != like.isNot()));
    }

    private Typed regex(String operator, Typed left, Typed right) {
        boolean ignoresCase = operator.endsWith("*");
        boolean isNot = operator.startsWith("!");
        context.infer(right, TypeOids.TEXT);
        return new Typed(
                TypeOids.BOOL,
                new PatternMatch<>(
                        left,
                        right,
                        new Typed(TypeOids.TEXT, _ -> ""),
                        (pattern, _) -> Operators.regex(pattern, ignoresCase),
                        (value, pattern) ->
                                pattern.matcher(counted(value, left.type())).find() != isNot));
    }

    private StepCountingText counted(Object value, int type) {
        return new StepCountingText(casts.text(value, type), context);
    }

    /** A match of texts with a pattern and its escape. */
    private static final class PatternMatch<P> implements Typed.Evaluation {
        private final Typed left;
        private final Typed right;
        private final Typed escape;
        private final LatestPattern<P> patterns;
        private final BiPredicate<Object, P> matches;

        PatternMatch(
                Typed left,
                Typed right,
                Typed escape,
                BiFunction<String, String, P> compiler,
                BiPredicate<Object, P> matches) {
            this.left = left;
            this.right = right;
            this.escape = escape;
            this.patterns = new LatestPattern<>(compiler);
            this.matches = matches;
        }

        @Override
        public Object of(Frame frame) {
            Object value = left.of(frame);
            Object pattern = right.of(frame);
            Object escaping = escape.of(frame);
            if (value == CatalogValues.NULL
                    || pattern == CatalogValues.NULL
                    || escaping == CatalogValues.NULL) {
                return CatalogValues.NULL;
            }
            return matches.test(value, patterns.of(pattern.toString(), escaping.toString()));
        }
    }
}
