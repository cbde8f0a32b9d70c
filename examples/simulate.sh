#!/bin/sh
# A made-up simulation with switches: prints how much of a load is carried, in per cent.
# In one corner it runs out of memory, and one setting takes an hour.
mesh=coarse solver=direct cache=off affinity=off
for word in "$@"; do
    case $word in
        --mesh=*) mesh=${word#--mesh=} ;;
        --solver=*) solver=${word#--solver=} ;;
        --cache) cache=on ;;
        --affinity) affinity=on ;;
    esac
done
score=50
[ $mesh = fine ] && score=$((score + 20))
[ $solver = iterative ] && score=$((score - 6))
[ $solver = iterative ] && [ $mesh = fine ] && score=$((score + 10))
[ $cache = on ] && score=$((score + 3))
[ $affinity = on ] && [ $cache = on ] && score=$((score + 2))
case $mesh,$solver,$cache,$affinity in
    fine,direct,off,*) echo "out of memory" >&2; exit 1 ;;
    fine,iterative,off,off) exec sleep 3600 ;;
esac
echo "carried: $score.0"
