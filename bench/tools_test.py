"""Tests the arithmetic of the benchmarks. It measures nothing."""
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True

import before
import callgrind
import fgr_costs
import forward
import hostile_costs
import lab_costs
import loops
import page
import rails
import results
import sim_costs
import smp_costs
import thresholds
import yardstick

import syscalls

class Results(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_rounds_ratios(self):
        row = results.row('x', 'MB/s', [{'ours': 1, 'reference': 2}, {'ours': 9, 'reference': 10}, {'ours': 4, 'reference': 4}])
        self.assertEqual((row['ours'], row['reference'], row['ratio']), (4, 4, 0.9))

    def test_rows_of_others_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'bench.json')
            results.merge(path, [{'name': 'a', 'ratio': 1}, {'name': 'b', 'ratio': 1}])
            results.merge(path, [{'name': 'b', 'ratio': 2}, {'name': 'c', 'ratio': 3}])
            self.assertEqual([(r['name'], r['ratio']) for r in results.load(path)], [('a', 1), ('b', 2), ('c', 3)])


class Figures(unittest.TestCase):
    def test_units(self):
        driver = {'bytes': 2_000_000, 'messages': 1000, 'seconds': 2.0, 'cpu_seconds': 1.0}
        server = {'bytes': 2_000_000, 'messages': 1000, 'seconds': 2.0, 'cpu_seconds': 1.0}
        self.assertEqual(loops.bytes_per_second(driver, server), 1.0)
        self.assertEqual(loops.one_way_microseconds(driver, server), 1000.0)
        self.assertEqual(loops.messages_per_second(driver, server), 0.0005)
        self.assertAlmostEqual(loops.nanoseconds_per_kib(driver, server), 1024 * 1000.0)


        self.assertEqual(loops.thousand_messages_per_second(driver, server), 0.5)

    def test_the_start_is_no_part_of_an_operation(self):
        self.assertEqual(callgrind.slope(lambda count: 1_000_000 + 250 * count, 100, 300), 250)


class Partitions(unittest.TestCase):
    def test_crossing_costs_are_thread_time(self):
        self.assertAlmostEqual(smp_costs.extra_microseconds(2e6, 5e5, 2), 3.0)
        self.assertAlmostEqual(smp_costs.extra_microseconds(1e6, 1e6, 2), 0.0)

    def measured(self, row, instructions_now):
        """The run of a row, where a thread makes a million PUTs/s, or half a million when some or
        all PUTs cross."""
        measure = {name: measure for name, measure, _, _ in smp_costs.ROWS}[row]
        with mock.patch.object(smp_costs, 'local_put_now', lambda *_: instructions_now), \
                mock.patch.object(smp_costs.before, 'instructions', lambda _: 8000), \
                mock.patch.object(smp_costs, 'scale', lambda _, __, partitions, ___, cross, first=0: partitions * 1e6 / (2 if cross else 1)), \
                mock.patch.object(smp_costs, 'rate', lambda rate: rate):
            return measure((), True)[0]

    def test_crossing_is_compared_with_the_former_local_rate(self):
        self.assertEqual(self.measured('smp_2_cross10', 8000), {'ours': 1e6, 'reference': 2e6})
        self.assertEqual(self.measured('smp_2_cross10', 4000), {'ours': 1e6, 'reference': 1e6})
        self.assertEqual(self.measured('smp_scale_2_cross50', 4000), {'ours': 1e6, 'reference': 5e5})
        self.assertEqual(self.measured('smp_reference', 4000), {'ours': 4000, 'reference': 8000})

    def test_without_crossing_the_present_rate_counts(self):
        self.assertEqual(self.measured('smp_2_local', 4000), {'ours': 2e6, 'reference': 2e6})
        self.assertEqual(self.measured('smp_scale_2_cross0', 4000), {'ours': 2e6, 'reference': 1e6})

    def test_a_former_figure_exists(self):
        self.assertTrue(all(before.instructions(name) > 1000 for name in ('smp_reference', 'sim_message')))


class References(unittest.TestCase):
    def test_the_raw_loop_of_the_same_settings_or_our_own_other_row(self):
        class Runner(loops.LoopRunner):
            def __init__(self):
                pass

            def raw(self, row):
                return 'raw', row.raw_loop or row.loop

            def ulnet(self, row):
                return 'ours', row.name

        rows = {row.name: row for row in loops.ROWS}
        self.assertEqual({name: Runner().reference(rows[name]) for name in rows if name.startswith('lst_')},
                         {'lst_brw_write_1m': ('ours', 'put_bw_1m_8_buffers'), 'lst_brw_read_1m': ('ours', 'put_bw_1m_8_buffers'),
                          'lst_check_full': ('raw', 'checked'), 'lst_ping_rate': ('raw', 'exchange'), 'lst_ping_c1': ('raw', 'exchange')})
        self.assertEqual(Runner().reference(rows['put_rate_8']), ('raw', 'rate'))


class Yardstick(unittest.TestCase):
    def runner(self, rates):
        class Runner(loops.LoopRunner):
            def __init__(self):
                self.reader, self.quick, self.asked = None, False, []

            def raw(self, row):
                self.asked.append(self.reader)
                return {'bytes': rates[self.reader], 'seconds': 1}, None

        return Runner()

    def test_the_fastest_receiver_is_chosen(self):
        for best in loops.READERS:
            runner = self.runner({reader: 2e9 if reader == best else 1e9 for reader in loops.READERS})
            self.assertEqual(runner.fastest_reader(), best)
            self.assertEqual(runner.asked, list(loops.READERS) * 3)
            self.assertEqual(runner.fastest_reader(), best)
            self.assertEqual(len(runner.asked), 6, 'measured once')


class Page(unittest.TestCase):
    def test_it_says_what_was_reached_and_what_was_not_measured(self):
        limits = {'a': {'ratio_min': 0.9}, 'b': {'ratio_max': 1.2}, 'c': {'ratio_min': 1}}
        rows = [{'name': name, 'ours': 1, 'reference': 1, 'ratio': ratio, 'unit': 's'} for name, ratio in (('a', 0.95), ('b', 1.3), ('d', 1))]
        lines = page.table(rows, limits, {name: 'how' for name in 'abcde'})[2:]
        self.assertEqual([[word for word in ('reached', 'missed', 'not measured') if word in line] for line in lines],
                         [['reached'], ['missed'], ['not measured'], []])

    def test_the_page_names_every_figure_that_is_asked_for(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, 'thresholds.json')) as limits, open(os.path.join(here, '../docs/PERFORMANCE.md')) as text:
            said = text.read()
            self.assertEqual([limit['name'] for limit in json.load(limits) if f'`{limit["name"]}`' not in said], [])
class SystemCalls(unittest.TestCase):
    def test_the_total_of_a_summary(self):
        self.assertEqual(syscalls.total('    calls syscall\n--------- ----------------\n       38 futex\n        4 total_of\n'
                                        '--------- ----------------\n       42 total\n'), 42)

    def test_the_figure_is_of_the_side_with_more_and_without_start_and_end(self):
        run = syscalls.difference({'rpcs': 10, 'drive': 1030, 'serve': 2020}, {'rpcs': 110, 'drive': 1330, 'serve': 2220})
        self.assertEqual(run, {'ours': 3.0, 'reference': 3, 'drive': 3.0, 'serve': 2.0})




class Thresholds(unittest.TestCase):
    def test_low_high_and_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'thresholds.json')
            with open(path, 'w') as file:
                json.dump([{'name': 'a', 'ratio_min': 0.9}, {'name': 'b', 'ratio_max': 1.2}], file)
            good = [{'name': 'a', 'ratio': 0.95}, {'name': 'b', 'ratio': 1.1}]
            self.assertTrue(thresholds.hold(path, good))
            self.assertFalse(thresholds.hold(path, [{'name': 'a', 'ratio': 0.85}, good[1]]))
            self.assertFalse(thresholds.hold(path, [good[0], {'name': 'b', 'ratio': 1.3}]))
            self.assertFalse(thresholds.hold(path, good[:1]))

    def test_every_threshold_names_a_row_that_is_measured(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, 'thresholds.json')) as file:
            limits = {limit['name'] for limit in json.load(file)}
        costs = {'bytes_per_idle_peer', 'idle_cpu_ms_100_peers', 'import_500_nets_s', 'import_5000_peers_s', 'import_10000_routes_s',
                 'peer_list_20k_mib', 'ping_instructions_500_nets', *yardstick.ROWS}
        costs |= {name for name, *_ in (*syscalls.ROWS, *sim_costs.ROWS, *fgr_costs.ROWS, *smp_costs.ROWS, *rails.ROWS, *forward.ROWS, *hostile_costs.ROWS,
                                       *lab_costs.ROWS)}
        self.assertLessEqual(limits, {row.name for row in loops.ROWS} | costs)


if __name__ == '__main__':
    unittest.main()
