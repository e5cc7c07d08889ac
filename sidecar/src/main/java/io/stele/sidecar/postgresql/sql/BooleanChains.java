package io.stele.sidecar.postgresql.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;

/**
 * The mending of a defect of JSqlParser 5.3: it takes all that follows IN for its right side, so
 * that {@code x IN (1) AND y} is {@code x IN ((1) AND y)}. The operands are taken apart in the
 * order of the text, and put together by precedence.
 */
public final class BooleanChains {
    private final List<Expression> operands = new ArrayList<>();
    private final List<Boolean> isOr = new ArrayList<>(); // between an operand and the next
    private boolean hasChanged;

    private BooleanChains() {}

    /** The expression as the text means it; the same object if it is right. */
    public static Expression mended(Expression expression) {
        BooleanChains chain = new BooleanChains();
        chain.add(expression);
        return chain.hasChanged ? chain.build() : expression;
    }

    private void add(Expression expression) {
        Deque<BinaryExpression> pending = new ArrayDeque<>();
        Expression left = expression;
        while (left instanceof AndExpression || left instanceof OrExpression) {
            BinaryExpression binary = (BinaryExpression) left;
            pending.push(binary);
            left = binary.getLeftExpression();
        }
        addOperand(left);
        while (!pending.isEmpty()) {
            BinaryExpression binary = pending.pop();
            isOr.add(binary instanceof OrExpression);
            add(binary.getRightExpression());
        }
    }

    private void addOperand(Expression operand) {
        int first = operands.size();
        if (operand instanceof InExpression in && isChain(in.getRightExpression())) {
            hasChanged = true;
            add(in.getRightExpression());
            InExpression mended = new InExpression(in.getLeftExpression(), operands.get(first));
            mended.setNot(in.isNot());
            operands.set(first, mended);
        } else if (operand instanceof NotExpression not && isChain(not.getExpression())) {
            add(not.getExpression());
            operands.set(first, new NotExpression(operands.get(first)));
        } else {
            operands.add(operand);
        }
    }

    /** Whether AND or OR is inside without parentheses around it. */
    private static boolean isChain(Expression expression) {
        return expression instanceof AndExpression
                || expression instanceof OrExpression
                || (expression instanceof InExpression in && isChain(in.getRightExpression()))
                || (expression instanceof NotExpression not && isChain(not.getExpression()));
    }

    private Expression build() {
        List<Expression> alternatives = new ArrayList<>();
        Expression all = operands.get(0);
        for (int i = 0; i < isOr.size(); i++) {
            Expression next = operands.get(i + 1);
            if (isOr.get(i)) {
                alternatives.add(all);
                all = next;
            } else {
                all = new AndExpression(all, next);
            }
        }
        alternatives.add(all);
        Expression any = alternatives.get(0);
        for (Expression alternative : alternatives.subList(1, alternatives.size())) {
            any = new OrExpression(any, alternative);
        }
        return any;
    }
}
